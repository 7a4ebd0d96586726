import { createHash } from 'node:crypto'

/** Running hash of a call. */
export interface Fingerprint {
  add(piece: Uint8Array): void
  /** Returns the final hash; may be called only once, after the last piece. */
  text(): string
}

/**
 * Creates the hash of the complete content of a call; bytes of any size are added as they pass.
 * @param values Values outside the body.
 * @param boundary Boundary of a form; it is left out of the hash, because it differs each time the same form is sent.
 */
export function openFingerprint(values: readonly unknown[], boundary?: string): Fingerprint {
  const hash = createHash('sha256').update(JSON.stringify(values))
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

/** Passes on the content between boundaries up to the last one; anything after it has no meaning (RFC 2046 5.1.1). */
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
