/**
 * Cuts the output of a program into pieces of given sizes.
 *
 * @returns undefined when fewer bytes are left than requested
 */
export function createPieceReader(
  pieces: AsyncIterator<Buffer>,
): (size: number) => Promise<Buffer | undefined> {
  let rest: Buffer = Buffer.alloc(0)
  return async (size) => {
    const whole = Buffer.allocUnsafe(size)
    let filled = 0
    while (filled < size) {
      if (rest.length === 0) {
        const next = await pieces.next()
        if (next.done) return undefined
        rest = next.value
      }
      const taken = rest.copy(whole, filled)
      rest = rest.subarray(taken)
      filled += taken
    }
    return whole
  }
}

/**
 * Splits the output of a program into lines.
 *
 * @param longest bytes kept of the start of a longer line
 */
export async function* splitLinesOf(
  pieces: AsyncIterable<Buffer>,
  longest = Number.POSITIVE_INFINITY,
): AsyncGenerator<string[]> {
  let rest = ''
  for await (const piece of pieces) {
    const lines = (rest + piece.toString('latin1')).split('\n')
    rest = (lines.pop() ?? '').slice(0, longest)
    yield lines
  }
  if (rest !== '') yield [rest]
}
