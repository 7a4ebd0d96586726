import type { SortingMethod } from '@reticle/contracts/rest/sources'

type ByName = Extract<SortingMethod, 'lexicographical' | 'natural'>

/** Comparisons of file names by `sorting_method`. */
export const compareNames: Record<ByName, (a: string, b: string) => number> = {
  lexicographical: byCodePoint,
  natural: byNumbers,
}

/** Compares by code point, as UTF-8 sorts; the native UTF-16 order of JavaScript differs. */
function byCodePoint(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) {
    if (a.charCodeAt(at) !== b.charCodeAt(at)) return unitRank(a, at) - unitRank(b, at)
  }
  return a.length - b.length
}

/** Ranks surrogates above all other units, because pairs encode the highest code points. */
function unitRank(text: string, at: number): number {
  const unit = text.charCodeAt(at)
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}

/** Compares runs of digits as numbers, and other characters by code point. */
function byNumbers(a: string, b: string): number {
  const left = a.split(/(\d+)/)
  const right = b.split(/(\d+)/)
  const length = Math.min(left.length, right.length)
  for (let at = 0; at < length; at++) {
    const order = comparePart(left[at] ?? '', right[at] ?? '', at % 2 === 1)
    if (order !== 0) return order
  }
  return left.length - right.length || byCodePoint(a, b)
}

function comparePart(a: string, b: string, isNumber: boolean): number {
  if (!isNumber) return byCodePoint(a, b)
  const [left, right] = [withoutZeros(a), withoutZeros(b)]
  return left.length - right.length || byCodePoint(left, right)
}

const withoutZeros = (digits: string) => digits.replace(/^0+(?=\d)/, '')
