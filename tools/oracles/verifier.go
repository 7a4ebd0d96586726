// Command verifier checks each row of signatures.json with the Go code of docs/webhooks.md, which is a package next to it,
// and prints which signatures are genuine.
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
