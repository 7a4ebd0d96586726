/** Formats JSON with one member per line; returns other text unchanged. */
export function formatJsonText(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value, undefined, 2)
  try {
    return JSON.stringify(JSON.parse(value), undefined, 2)
  } catch {
    return value
  }
}
