import { parentPort, workerData } from 'node:worker_threads'
import { notFound } from '../call/errors.ts'

/** Reports the received data, and a code that is known only by importing another TypeScript source. */
parentPort?.postMessage({ ...workerData.data, code: notFound().code })
