# Runs a server so that it never outlives its parent: `sh -c "$(cat guard.sh)" guard command args...`, with a pipe as standard
# input and another as fd 3. Writes the server's pid to fd 3, stops the server when standard input closes (as it does when the
# parent ends in any way), and returns the server's exit code.
signal="${GUARD_SIGNAL:-TERM}"
unset GUARD_SIGNAL
exec 4<&0
"$@" </dev/null 3>&- 4<&- &
server=$!
echo "$server" >&3
exec 3>&-

# A paused server handles no signal before it continues.
ask() {
  kill -s "$signal" "$server" 2>/dev/null
  kill -s CONT "$server" 2>/dev/null
}

(
  cat <&4 >/dev/null
  ask
  waited=0
  while kill -0 "$server" 2>/dev/null && [ "$waited" -lt "${GUARD_PATIENCE:-40}" ]; do
    sleep 0.2
    waited=$((waited + 1))
  done
  kill -s KILL "$server" 2>/dev/null
) &
watcher=$!

trap ask TERM INT
wait "$server"
code=$?
while kill -0 "$server" 2>/dev/null; do # a signal to the guard ends `wait` too
  wait "$server"
  code=$?
done
kill "$watcher" 2>/dev/null
exit "$code"
