import { createHash } from 'node:crypto'

const turn = 360
/** Has no common divisor with a full turn, so every hue is used before one repeats. */
const step = 47

/**
 * Returns a colour (`#rrggbb`) for a label without one. The hue follows from the name and moves on while another
 * label of the owner has it. When all hues are taken, the first is used again.
 */
export function pickColor(name: string, taken: ReadonlySet<string>): string {
  const first = createHash('sha256').update(name.toLowerCase()).digest().readUInt16BE(0) % turn
  for (let hue = first, tries = 0; tries < turn; hue = (hue + step) % turn, tries++) {
    const color = palette[hue] ?? ''
    if (!taken.has(color)) return color
  }
  return palette[first] ?? ''
}

/** Returns the number of colours that `pickColor` can still choose. */
export const countFree = (taken: ReadonlySet<string>): number =>
  palette.filter((color) => !taken.has(color)).length

/** Converts HSL(hue, 65 %, 50 %) to `#rrggbb`. */
function fromHue(hue: number): string {
  const channel = (offset: number) => {
    const k = (offset + hue / 30) % 12
    const level = 0.5 - 0.325 * Math.max(-1, Math.min(k - 3, 9 - k, 1))
    return Math.round(level * 255)
      .toString(16)
      .padStart(2, '0')
  }
  return `#${channel(0)}${channel(8)}${channel(4)}`
}

/** Computed once, because planning many labels reads every hue many times. */
const palette = Array.from({ length: turn }, (_, hue) => fromHue(hue))
