import { once } from 'node:events'
import type { RecordCodec } from './records.ts'

export type WriteRecord<Kind extends string> = (
  kind: Kind,
  bytes?: Uint8Array,
  number?: number,
) => Promise<void>

/**
 * Answers the one question of a program, the JSON in its only argument, on standard output. The program does not exit
 * by itself: the reader kills it after the end, because the cleanup of native code could crash and is not needed.
 */
export async function answerQuery<Kind extends string, Question>(
  codec: RecordCodec<Kind | 'end' | 'failed'>,
  answer: (question: Question, write: WriteRecord<Kind>) => Promise<void>,
): Promise<void> {
  process.stdout.on('error', () => process.kill(process.pid, 'SIGKILL'))
  /** Waits until the reader has taken the data (back-pressure). */
  const write: WriteRecord<Kind | 'end' | 'failed'> = async (
    kind,
    bytes = new Uint8Array(),
    number,
  ) => {
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
