import { on } from 'node:events'
import { keepObjectsYoung } from '@reticle/kit/heap'
import { startThread } from '@reticle/kit/thread'
import { converterData, decodeMessage, encodeMessage } from './worker/converter-messages.ts'
import { serveConversions } from './worker/serve-conversions.ts'

/**
 * A converter: a process of a worker. It runs the requests that the worker sends, one at a time. A thread ends it when
 * the worker is not there any more, also while a conversion never pauses.
 */
startThread('./programs/watch-input', import.meta.url, { data: null })
// A Ctrl-C reaches this process too. The worker decides when a converter ends.
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => undefined)
keepObjectsYoung()

/** Keeps messages that arrive while the ports are opened. */
const messages = on(process, 'message')
const first = await messages.next()
const port = {
  postMessage: (message: unknown) => void process.send?.(encodeMessage(message)),
  on: async (_: 'message', listener: (sent: unknown) => void) => {
    for await (const [sent] of messages) listener(decodeMessage(sent))
  },
}
const data = converterData.parse(decodeMessage(first.value[0]))
const conversions = await serveConversions(port, data)

/** The worker ends a converter that reports this. */
process.on('uncaughtException', (thrown) => {
  if (!conversions.failRun(thrown)) throw thrown
})
