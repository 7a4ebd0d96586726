/**
 * Does something while the page is in front, begun anew each time. A browser has few connections to a server; pages that nobody
 * sees would take all of them.
 *
 * @returns ends it
 */
export function whileSeen(begin: (signal: AbortSignal) => void): () => void {
  let current = new AbortController()
  const change = () => {
    current.abort()
    current = new AbortController()
    if (!document.hidden) begin(current.signal)
  }
  change()
  document.addEventListener('visibilitychange', change)
  return () => {
    document.removeEventListener('visibilitychange', change)
    current.abort()
  }
}
