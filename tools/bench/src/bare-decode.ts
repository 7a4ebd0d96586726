import { Codec, CodecContext, FormatContext, Frame, Packet } from 'node-av/lib'

/**
 * Decodes all images of a video and discards them: `node bare-decode.js <file>` prints their number and the
 * milliseconds, without the start of the process.
 */
const [, , file = ''] = process.argv
const began = performance.now()
const input = new FormatContext()
check(input.openInputSync(file, null, null))
check(input.findStreamInfoSync(null))
const stream = input.streams?.find(({ codecpar }) => codecpar.width > 0)
const codec = stream && Codec.findDecoder(stream.codecpar.codecId)
if (!stream || !codec) throw new Error(`${file} has no pictures`)
const decoder = new CodecContext()
decoder.allocContext3(codec)
check(decoder.parametersToContext(stream.codecpar))
decoder.threadCount = 2
check(decoder.open2Sync(codec))

let pictures = 0
const picture = new Frame()
picture.alloc()
const receive = () => {
  for (; decoder.receiveFrameSync(picture) >= 0; picture.unref()) pictures += 1
}
const packet = new Packet()
packet.alloc()
for (; input.readFrameSync(packet) >= 0; packet.unref()) {
  if (packet.streamIndex !== stream.index) continue
  check(decoder.sendPacketSync(packet))
  receive()
}
decoder.sendPacketSync(null)
receive()
process.stdout.write(JSON.stringify({ pictures, ms: performance.now() - began }))

function check(result: number): void {
  if (result < 0) throw new Error(`FFmpeg answers ${result}`)
}
