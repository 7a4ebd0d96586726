import { createHash } from 'node:crypto'

/** Of what is asked for: its hash so far, and at its end. */
export interface Fingerprint {
  add(piece: Uint8Array): void
  /** To be asked for once, when nothing more comes. */
  text(): string
}

/**
 * A hash of everything that a request says, whatever its size; bytes are taken in as they pass.
 *
 * @param said what stands outside of the body
 * @param boundary of a form; it is another one each time the same form is sent, so it is left out
 */
export function openFingerprint(said: readonly unknown[], boundary?: string): Fingerprint {
  const hash = createHash('sha256').update(JSON.stringify(said))
  const add = (piece: Uint8Array) => void hash.update(piece)
  const parts = boundary === undefined ? undefined : openParts(boundary, add)
  return {
    add: parts?.add ?? add,
    text: () => {
      parts?.end()
      return hash.digest('base64url')
    },
  }
}

/** Hands on what stands between boundaries, to the last one: what follows that means nothing (RFC 2046 5.1.1). */
function openParts(boundary: string, add: (piece: Uint8Array) => void) {
  const mark = Buffer.from(`--${boundary}`)
  const closing = Buffer.from('--')
  let rest: Buffer = Buffer.alloc(0)
  let isOver = false
  const pass = (end: number) => {
    add(rest.subarray(0, end))
    rest = rest.subarray(end)
  }
  return {
    add: (piece: Uint8Array) => {
      if (isOver) return
      rest = Buffer.concat([rest, piece])
      for (let at = rest.indexOf(mark); at >= 0; at = rest.indexOf(mark)) {
        const after = at + mark.length
        if (rest.length < after + closing.length) return pass(at)
        pass(at)
        isOver = rest.subarray(mark.length, mark.length + closing.length).equals(closing)
        rest = isOver ? Buffer.alloc(0) : rest.subarray(mark.length)
        if (isOver) return
      }
      pass(Math.max(0, rest.length - mark.length))
    },
    end: () => pass(rest.length),
  }
}
