import { type FrameSource, frameSource } from './rest/media.ts'

/**
 * Frame lines transfer the list of frames of a task between
 * projects-svc and the converters (`attachMedia`, `readFrames`).
 * - UTF-8. A line is one `frameSource` as JSON and ends in `\n`, which the last one may lack; there is no header.
 * - Order: by frame. A line does not contain its number: the first one is the first requested frame, or frame 0.
 * - A line is at most 1 MiB long.
 */
const longestLine = 1024 * 1024

/** Error of a malformed stream, which is a bug of the program that wrote it. */
export class FrameLinesError extends Error {}

/** Formats one line. */
export const encodeFrame = (frame: FrameSource) => `${JSON.stringify(frame)}\n`

/**
 * Parses the frames of a stream, whose pieces may be cut anywhere, in one batch per piece.
 * @throws FrameLinesError naming the line, counted from 1
 */
export async function* decodeFrames(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<FrameSource[]> {
  const decoder = new TextDecoder()
  let rest = ''
  let number = 0
  const read = (text: string) => readFrame(text, ++number)
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > longestLine) {
      throw new FrameLinesError('A line of the frame list is too long.')
    }
    if (lines.length > 0) yield lines.map(read)
  }
  rest += decoder.decode()
  if (rest !== '') yield [read(rest)]
}

function readFrame(text: string, number: number): FrameSource {
  const found = frameSource.safeParse(parseJson(text))
  if (found.success) return found.data
  const [issue] = found.error.issues
  const what = `${issue?.path.join('.') || 'the line'}: ${issue?.message}`
  throw new FrameLinesError(`Line ${number} of the frame list is no frame: ${what}`)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
