/** Formats coordinates as text with two decimals. */

/** Formats a number with exactly two decimals: rounded to nearest, halves to even, like CVAT. */
export function fixed2(value: number): string {
  const hundreds = value * 100
  const whole = Math.round(hundreds)
  const isTie = Math.abs(Math.abs(hundreds - whole) - 0.5) < 1e-6
  if (isTie || Math.abs(whole) > 1e9) return slowFixed2(value)
  const size = Math.abs(whole)
  const units = Math.trunc(size / 100)
  return `${whole < 0 ? '-' : ''}${units}${decimals[size - units * 100]}`
}

const decimals = Array.from({ length: 100 }, (_, at) => `.${String(at).padStart(2, '0')}`)

/** Slow path: half of a hundredth is exact in a float only when eight times the number is whole. */
function slowFixed2(value: number): string {
  const isHalf = Number.isInteger(value * 8) && !Number.isInteger(value * 4)
  const below = Math.floor(value * 100)
  return isHalf ? ((below + Math.abs(below % 2)) / 100).toFixed(2) : value.toFixed(2)
}

/** Returns whether two decimals represent the number exactly. */
export function isExact(value: number): boolean {
  return Math.round(value * 100) / 100 === value
}

export const pairs = (points: readonly number[]): string => {
  let text = ''
  for (let at = 0; at < points.length; at += 2) {
    const [x = 0, y = 0] = [points[at], points[at + 1]]
    text += `${at > 0 ? ';' : ''}${fixed2(x)},${fixed2(y)}`
  }
  return text
}
