/** Cuts what a program writes into pieces of a size. @returns undefined when there is no whole one any more */
export function cutInto(
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
 * What a program writes, line by line.
 *
 * @param longest a line that is much longer keeps so many bytes at its beginning
 */
export async function* linesOf(
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
