/** A thin PNG codec for pictures of labels (perf-design.md 6.3): it keeps palettes and 16 bits, which decoders for photos do not. */
export { type Png, pixelsInPicture, readPng } from './png-read.ts'
export { type PaletteEntry, writeGrey16Png, writePalettePng, writeRgbPng } from './png-write.ts'
