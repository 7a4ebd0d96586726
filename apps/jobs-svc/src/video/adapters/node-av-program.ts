import { AV_LOG_ERROR, AV_LOG_INFO } from 'node-av/constants'
import { getFFmpegInfo, Log } from 'node-av/lib'
import { answerQuery } from '../../programs/answer-query.ts'
import {
  decodePictures,
  describeFile,
  readPackets,
  readStreamInfo,
  readTimes,
} from './node-av-reading.ts'
import { type NodeAvQuery, nodeAvRecords } from './records.ts'

/**
 * Process that calls node-av for one question (`records.ts`). Native code that reads untrusted files may crash or hang,
 * and takes down only this process. It exits when its standard input closes, and so with the process that started it.
 */
process.stdin.on('close', () => process.kill(process.pid, 'SIGKILL')).resume()
Log.setLevel(AV_LOG_ERROR)

await answerQuery(nodeAvRecords, async (question: NodeAvQuery, write) => {
  if (question.ask === 'version') await write('version', Buffer.from(getFFmpegInfo().version))
  if (question.ask === 'look')
    await write('look', Buffer.from(JSON.stringify(await readStreamInfo(question))))
  if (question.ask === 'packets')
    for await (const batch of readPackets(question)) await write('packets', bytesOf(batch))
  if (question.ask === 'times')
    for await (const batch of readTimes(question)) await write('times', bytesOf(batch))
  if (question.ask === 'chapters') {
    const describe = describeFile(question)
    Log.setLevel(AV_LOG_INFO)
    describe()
  }
  if (question.ask === 'picture')
    for await (const { time, pixels } of decodePictures(question))
      await write('picture', pixels, time)
})

function bytesOf(numbers: readonly number[]): Uint8Array {
  return new Uint8Array(Float64Array.from(numbers).buffer)
}
