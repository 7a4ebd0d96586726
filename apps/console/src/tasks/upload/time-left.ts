/** Estimates the milliseconds until `total` at the current rate; undefined while it is too early. */
export function timeLeftMs(done: number, total: number, tookMs: number): number | undefined {
  if (tookMs < 2000 || done === 0) return undefined
  return ((total - done) / done) * tookMs
}

/** Returns a text such as `about 3 min left`. */
export function timeLeftText(ms: number | undefined): string {
  if (ms === undefined) return ''
  const seconds = Math.ceil(ms / 1000)
  if (seconds < 60) return `about ${seconds} s left`
  const minutes = Math.round(seconds / 60)
  if (minutes < 60) return `about ${minutes} min left`
  return `about ${Math.floor(minutes / 60)} h ${minutes % 60} min left`
}
