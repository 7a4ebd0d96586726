/**
 * Runs `begin` while the page is visible, and again each time it becomes visible. A browser limits connections per
 * server, and hidden pages would use them up.
 *
 * @returns a function that stops it
 */
export function whileVisible(begin: (signal: AbortSignal) => void): () => void {
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
