import { StringDecoder } from 'node:string_decoder'
import { type FrameSource, frameSource } from '@reticle/contracts/rest/media'
import { invalidText } from '@reticle/kit/errors'
import type { Bytes } from '@reticle/kit/rpc/context'

/** Frames on the way between services: JSON lines of `frameSource`, in frame order. */

const longestLine = 1024 * 1024

/** @throws DomainError invalid naming the line (from 1) that is no frame */
export async function* readFrameLines(chunks: Bytes): AsyncGenerator<FrameSource> {
  let line = 0
  for await (const text of linesOf(chunks)) {
    line++
    yield parseFrame(text, line)
  }
}

async function* linesOf(chunks: Bytes): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  for await (const chunk of chunks) {
    const lines = (rest + decoder.write(Buffer.from(chunk))).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > longestLine) throw invalidText('A line of the frame list is too long.')
    yield* lines
  }
  rest += decoder.end()
  if (rest !== '') yield rest
}

function parseFrame(text: string, line: number): FrameSource {
  const read = frameSource.safeParse(parseJson(text))
  if (read.success) return read.data
  const [issue] = read.error.issues
  const what = `${issue?.path.join('.') || 'the line'}: ${issue?.message}`
  throw invalidText(`Line ${line} of the frame list is no frame: ${what}`)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const pieceSize = 64 * 1024

export async function* writeFrameLines(frames: AsyncIterable<FrameSource>): Bytes {
  let text = ''
  for await (const frame of frames) {
    text += `${JSON.stringify(frame)}\n`
    if (text.length < pieceSize) continue
    yield Buffer.from(text)
    text = ''
  }
  if (text !== '') yield Buffer.from(text)
}
