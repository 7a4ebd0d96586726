/** Reads the lines of text files: UTF-8, with or without a byte order mark, and with any line ends. */
import { type ErrorLocation, FormatError } from '../report/errors.ts'

export interface Line {
  /** Text without trailing blanks. */
  text: string
  /** From 1. */
  line: number
}

/** Maximum length of a line in characters. */
const mostCharacters = 1_048_576

/**
 * Yields the lines of a file of any size, in one batch for each piece of the file.
 * @param longest Maximum length of a line in characters.
 * @throws {FormatError} for invalid UTF-8, or a line that is too long
 */
export async function* linesIn(
  pieces: AsyncIterable<Uint8Array>,
  file: string,
  longest = mostCharacters,
): AsyncGenerator<Line[]> {
  const take = lineReader(file, longest)
  for await (const piece of pieces) yield take(piece, false)
  yield take(new Uint8Array(), true)
}

/** Returns the lines of a small file. */
export function linesOf(bytes: Uint8Array, file: string, longest = mostCharacters): Line[] {
  return lineReader(file, longest)(bytes, true)
}

/** Returns the place of a line. */
export const lineOf = (file: string, { line }: Line): ErrorLocation => ({ file, line })

function lineReader(file: string, longest: number) {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let rest = ''
  let line = 0
  return (bytes: Uint8Array, isLast: boolean): Line[] => {
    const texts = (rest + decode(decoder, bytes, isLast, { file, line: line + 1 })).split('\n')
    rest = isLast ? '' : (texts.pop() ?? '')
    if (isLast && texts.at(-1) === '') texts.pop()
    const isTooLong = (text: string, at: number): void => {
      if (text.length > longest)
        throw new FormatError(`longer than ${longest} characters`, { file, line: at })
    }
    isTooLong(rest, line + texts.length + 1)
    return texts.map((text) => {
      line += 1
      isTooLong(text, line)
      return { text: text.trimEnd(), line }
    })
  }
}

type Decoder = InstanceType<typeof TextDecoder>

function decode(
  decoder: Decoder,
  bytes: Uint8Array,
  isLast: boolean,
  location: ErrorLocation,
): string {
  try {
    return decoder.decode(bytes, { stream: !isLast })
  } catch {
    throw new FormatError('the text is not UTF-8', location)
  }
}
