import type { SortingMethod } from '@reticle/contracts/rest/sources'

type ByName = Extract<SortingMethod, 'lexicographical' | 'natural'>

/** Compares file names as `sorting_method` says (`spec/api-workspace.md` 4.5). */
export const compareNames: Record<ByName, (a: string, b: string) => number> = {
  lexicographical: byCodePoint,
  natural: byNumbers,
}

/** UTF-8 sorts like code points; UTF-16, JavaScript's own order, does not. */
function byCodePoint(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) {
    if (a.charCodeAt(at) !== b.charCodeAt(at)) return unitRank(a, at) - unitRank(b, at)
  }
  return a.length - b.length
}

/** Halves of pairs stand for code points above every single unit. */
function unitRank(text: string, at: number): number {
  const unit = text.charCodeAt(at)
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}

/** Runs of digits compare as numbers, whatever lies between them by code point. */
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
