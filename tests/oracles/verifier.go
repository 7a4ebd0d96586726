// Command verifier tells of each line of signatures.json whether it is genuine to the Go lines of docs/webhooks.md, which
// stand beside it as a package of their own.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"oracles/webhooks"
)

func main() {
	var rows []struct{ Secret, Body, Header string }
	if err := json.NewDecoder(os.Stdin).Decode(&rows); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	answers := make([]bool, len(rows))
	for i, row := range rows {
		answers[i] = webhooks.IsGenuine([]byte(row.Body), row.Header, row.Secret)
	}
	json.NewEncoder(os.Stdout).Encode(answers)
}
