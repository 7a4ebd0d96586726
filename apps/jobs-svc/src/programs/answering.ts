import { once } from 'node:events'
import type { Codec } from './records.ts'

export type Write<Kind extends string> = (
  kind: Kind,
  bytes?: Uint8Array,
  number?: number,
) => Promise<void>

/**
 * The part of a program of ours that answers its one question, the JSON in its one argument, on standard output. It does not leave
 * by itself: whoever has read to the end kills it, and what foreign code would still put away then is not worth its crashes.
 */
export async function answerQuestion<Kind extends string, Question>(
  codec: Codec<Kind | 'end' | 'failed'>,
  answer: (question: Question, write: Write<Kind>) => Promise<void>,
): Promise<void> {
  process.stdout.on('error', () => process.kill(process.pid, 'SIGKILL'))
  /** Waits until the reader has taken it, so that nothing is made faster than it is wanted. */
  const write: Write<Kind | 'end' | 'failed'> = async (kind, bytes = new Uint8Array(), number) => {
    process.stdout.write(codec.encodeHead(kind, bytes.length, number))
    if (!process.stdout.write(bytes)) await once(process.stdout, 'drain')
  }
  try {
    const question: Question = JSON.parse(process.argv[2] ?? '')
    await answer(question, write)
    await write('end')
  } catch (thrown) {
    await write('failed', Buffer.from(String(thrown)))
  }
}
