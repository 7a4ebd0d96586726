/** Colours of labels and instances in images. A colour is a number, 0xRRGGBB. */

/**
 * Returns the default colour of an index: its bits, three at a time, become the high bits of red, green and blue;
 * index 1 is 128,0,0. The sequence continues the same way after the 256 colours of the VOC palette.
 */
export function paletteColor(index: number): number {
  let color = 0
  for (let bit = 0; bit < 8; bit += 1) {
    const [red, green, blue] = [0, 1, 2].map((offset) => (index >> (3 * bit + offset)) & 1)
    const shift = 7 - bit
    color |= ((red ?? 0) << (16 + shift)) | ((green ?? 0) << (8 + shift)) | ((blue ?? 0) << shift)
  }
  return color
}

export const rgb = (red: number, green: number, blue: number): number =>
  (red << 16) | (green << 8) | blue

/** Formats a colour as decimal components: `255,128,0`. */
export function colorText(color: number, separator = ','): string {
  return [color >> 16, (color >> 8) & 255, color & 255].join(separator)
}

/** Parses `#ff8000`; returns undefined for anything else. */
export function parseColor(text: string | undefined): number | undefined {
  return text && /^#[0-9a-f]{6}$/i.test(text) ? Number.parseInt(text.slice(1), 16) : undefined
}
