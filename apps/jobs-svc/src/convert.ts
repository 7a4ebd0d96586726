import { on } from 'node:events'
import { keepObjectsYoung } from '@reticle/kit/process/lifecycle'
import { startThread } from '@reticle/kit/process/thread'
import { converterData, decodeMessage, encodeMessage } from './worker/converter-messages.ts'
import { serveConversions } from './worker/serve-conversions.ts'

/**
 * Converter: a process of a worker that runs its requests, one at a time. A thread ends the process when the worker has
 * exited, also while a conversion blocks the event loop.
 */
startThread('./programs/watch-input', import.meta.url, { data: null })
// A Ctrl-C reaches this process too, but the worker decides when a converter ends.
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => undefined)
keepObjectsYoung()

/** Buffers messages that arrive while the ports are opened. */
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

/** The worker ends a converter that reports an uncaught exception. */
process.on('uncaughtException', (thrown) => {
  if (!conversions.failRun(thrown)) throw thrown
})
