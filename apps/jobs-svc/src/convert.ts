import { parentPort, workerData } from 'node:worker_threads'
import { serveConversions } from './worker/serve-conversions.ts'
import { threadData } from './worker/thread-messages.ts'

/** Entry of a conversion thread: one request at a time, asked for and answered by messages. */
if (!parentPort) throw new Error('convert runs as a thread of a worker, not by itself')
await serveConversions(parentPort, threadData.parse(workerData).data)
