const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const

/** Formats a size in decimal units: `1.5 MB`. */
export function bytesText(bytes: number): string {
  let [value, step] = [bytes, 0]
  while (value >= 999.5 && step < units.length - 1) {
    value /= 1000
    step += 1
  }
  const digits = step === 0 || value >= 99.95 ? 0 : 1
  return `${value.toFixed(digits)} ${units[step]}`
}
