import { once } from 'node:events'
import { AV_LOG_ERROR } from 'node-av/constants'
import { getFFmpegInfo, Log } from 'node-av/lib'
import { look, packets, pictures, times } from './node-av-reading.ts'
import { encodeHead, type Question, type RecordKind } from './records.ts'

/**
 * A process that works node-av for one question (`records.ts`): native code that reads what strangers sent may crash or hang, and
 * only this process with it. Answers go to standard output. It ends with its standard input, and so with who started it, and by a
 * kill: what native code would still put away when it leaves by itself is not worth its crashes.
 */
process.stdin.on('close', () => process.kill(process.pid, 'SIGKILL')).resume()
process.stdout.on('error', () => process.kill(process.pid, 'SIGKILL'))
Log.setLevel(AV_LOG_ERROR)
try {
  const question: Question = JSON.parse(process.argv[2] ?? '')
  await answer(question)
  await write('end')
} catch (thrown) {
  await write('failed', Buffer.from(String(thrown)))
}

async function answer(question: Question): Promise<void> {
  if (question.ask === 'version') await write('version', Buffer.from(getFFmpegInfo().version))
  if (question.ask === 'look')
    await write('look', Buffer.from(JSON.stringify(await look(question))))
  if (question.ask === 'packets')
    for await (const batch of packets(question)) await write('packets', bytesOf(batch))
  if (question.ask === 'times')
    for await (const batch of times(question)) await write('times', bytesOf(batch))
  if (question.ask === 'picture')
    for await (const { time, pixels } of pictures(question)) await write('picture', pixels, time)
}

function bytesOf(numbers: readonly number[]): Uint8Array {
  return new Uint8Array(Float64Array.from(numbers).buffer)
}

/** Waits until the reader has taken it, and so decodes no faster than is wanted. */
async function write(
  kind: RecordKind,
  bytes: Uint8Array = new Uint8Array(),
  time?: number,
): Promise<void> {
  process.stdout.write(encodeHead(kind, bytes.length, time))
  if (!process.stdout.write(bytes)) await once(process.stdout, 'drain')
}
