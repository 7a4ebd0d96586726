import { type FrameSource, frameSource } from '@reticle/contracts/rest/media'
import type { Context } from '@reticle/kit'
import type { OperationServices } from './operation.ts'

/** Frames of a task from `start` to `stop` inclusive, in order, in batches of what one piece of the stream completes. */
export async function* readFrames(
  media: Pick<OperationServices['media'], 'readFrames'>,
  range: { task_id: number; start: number; stop: number },
  context: Context,
): AsyncGenerator<FrameSource[]> {
  const { chunks } = await media.readFrames(range, context)
  for await (const lines of jsonLines(chunks)) yield lines.map((line) => frameSource.parse(line))
}

/** The values of complete lines, in batches; pieces may be cut anywhere. */
async function* jsonLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<unknown[]> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    if (lines.length > 0) yield lines.map((line): unknown => JSON.parse(line))
  }
  if (rest !== '') yield [JSON.parse(rest)]
}
