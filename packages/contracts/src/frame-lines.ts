import { type FrameSource, frameSource } from './rest/media.ts'

/**
 * Frame lines, the list of a task's frames between projects-svc and the converters (`attachMedia`, `readFrames`).
 *
 * - UTF-8. A line is one `frameSource` as JSON and ends in `\n`, which the last one may lack; there is no header.
 * - Order: by frame. A line does not say its number: the first one is the first frame that was asked for, or frame 0.
 * - A line is at most 1 MiB long.
 */
const longestLine = 1024 * 1024

/** A stream that is no stream of frame lines: a fault of the program that wrote it. */
export class FrameLinesError extends Error {}

/** One line. */
export const encodeFrame = (frame: FrameSource) => `${JSON.stringify(frame)}\n`

/**
 * The frames of a stream, in batches of what one piece of it completes; pieces may be cut anywhere.
 *
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
