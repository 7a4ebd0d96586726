import fc from 'fast-check'
import { expect, test } from 'vitest'
import { clipSpans, common, countFrames, excludeFrames, framesOf, hasSome } from './spans.ts'

/** Compares spans of frames with plain lists of frames. */

const most = 30
const flags = fc.array(fc.boolean(), { minLength: most, maxLength: most })

function spansOf(has: readonly boolean[]) {
  const spans: { first: number; last: number }[] = []
  for (const frame of listed(has)) {
    const before = spans.at(-1)
    if (before?.last === frame - 1) before.last = frame
    else spans.push({ first: frame, last: frame })
  }
  return spans
}
const listed = (has: readonly boolean[]) => has.flatMap((one, frame) => (one ? [frame] : []))

test('intersection, difference and count match those of the lists', () => {
  fc.assert(
    fc.property(flags, flags, (a, b) => {
      const both = a.map((one, frame) => one && b[frame] === true)
      const alone = a.map((one, frame) => one && b[frame] === false)
      expect(framesOf(common(spansOf(a), spansOf(b)))).toEqual(listed(both))
      expect(excludeFrames(spansOf(a), listed(b))).toEqual(spansOf(alone))
      expect(countFrames(spansOf(a))).toBe(listed(a).length)
    }),
  )
})

test('a clipped range matches that of the list', () => {
  const frame = fc.nat(most - 1)
  fc.assert(
    fc.property(flags, frame, fc.nat(most), (has, from, more) => {
      const to = from + more
      const part = has.map((one, at) => one && from <= at && at <= to)
      expect([...clipSpans(spansOf(has), from, to)]).toEqual(spansOf(part))
      expect(hasSome(spansOf(has), from, to)).toBe(part.includes(true))
    }),
  )
})
