import { createHash } from 'node:crypto'

const turn = 360
/** No common divisor with a full turn: every hue comes up before one is repeated. */
const step = 47

/**
 * A colour for a label that was given none, as `#rrggbb`: its hue follows from the name, and moves on while another label of
 * the same owner has it (`spec/api-workspace.md` 4.3). With every hue taken the first one is used again.
 */
export function pickColor(name: string, taken: ReadonlySet<string>): string {
  const first = createHash('sha256').update(name.toLowerCase()).digest().readUInt16BE(0) % turn
  for (let hue = first, tries = 0; tries < turn; hue = (hue + step) % turn, tries++) {
    const color = palette[hue] ?? ''
    if (!taken.has(color)) return color
  }
  return palette[first] ?? ''
}

/** Colours that `pickColor` would still find. */
export const countFree = (taken: ReadonlySet<string>): number =>
  palette.filter((color) => !taken.has(color)).length

/** HSL(hue, 65 %, 50 %). */
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

/** Written out once: with many labels every hue is asked for many times. */
const palette = Array.from({ length: turn }, (_, hue) => fromHue(hue))
