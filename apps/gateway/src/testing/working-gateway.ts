import { EventEmitter, once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { DomainError, unavailable } from '@reticle/kit'
import { type Logger, silentLog } from '@reticle/kit/observe/log'
import { bytesOf } from '@reticle/kit/testing/bytes'
import { beforeEach, expect } from 'vitest'
import { startTestGateway } from './gateway.ts'

/** A gateway whose services work until a test releases them. */

export const idleTimeoutMs = 200
export const requestTimeoutMs = 400

async function* brokenPieces(failure: Error) {
  yield Buffer.alloc(1000, 'a')
  yield Buffer.alloc(1000, 'b')
  await sleep(20) // the headers are sent in the meantime
  throw failure
}

async function* endlessPieces() {
  for (;;) yield Buffer.alloc(64 * 1024)
}

const failures: Record<number, Error> = {
  11: unavailable('The database took too long.'),
  12: new DomainError('unavailable', 'The request took too long.', { code: 'deadline_exceeded' }),
  13: new Error('a bug'),
}

export const project = { id: 7, name: 'p' }

export const headers = 'Host: x\r\nAuthorization: Token anna\r\n'
export const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\n${headers}${more}\r\n`
export const put = (path: string, length: number, more = '') =>
  `PUT ${path} HTTP/1.1\r\n${headers}Content-Type: application/json\r\nContent-Length: ${length}\r\n${more}\r\n`
export const closing = 'Connection: close\r\n'

export const row = (fields: object) => expect.objectContaining(fields)

/** Work that handlers do until a test ends it. */
function createWork() {
  /**
   * Emits `begun` for each handler that starts to work, `release` to end their work, and `aborted` for each handler
   * whose caller disconnected.
   */
  const work = new EventEmitter().setMaxListeners(100)
  /** Number of pieces of bodies that handlers have read in the current test. */
  const arrived = { pieces: 0 }

  async function workLong(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => work.emit('aborted'))
    work.emit('begun')
    await once(work, 'release')
  }

  async function* slowPieces(signal: AbortSignal) {
    yield Buffer.alloc(1000, 'a')
    yield Buffer.alloc(1000, 'b')
    await workLong(signal)
    yield Buffer.alloc(1000, 'c')
  }

  /** Resolves when `work` has emitted an event this often from now on; each event of a turn counts. */
  function countOf(name: string, times: number): Promise<void> {
    return new Promise((resolve) => {
      let left = times
      const count = () => {
        if (--left > 0) return
        work.off(name, count)
        resolve()
      }
      work.on(name, count)
    })
  }
  const begun = (times = 1) => countOf('begun', times)

  return { work, arrived, workLong, slowPieces, countOf, begun }
}

function createServices({
  arrived,
  workLong,
  slowPieces,
}: ReturnType<typeof createWork>): NonNullable<Parameters<typeof startTestGateway>[0]>['services'] {
  return {
    projects: {
      async getProject({ id }, { signal }) {
        if (id !== 1) await workLong(signal)
        return { ...project, id } as never
      },
      async updateProject(_input, { signal }) {
        await workLong(signal)
        return project as never
      },
      async deleteProject(_input, { signal }) {
        await workLong(signal)
      },
    },
    annotations: {
      async getJobAnnotations({ id }, { signal }) {
        const failure = failures[id]
        if (failure) return { head: {}, chunks: brokenPieces(failure) }
        return { head: {}, chunks: id === 3 ? endlessPieces() : slowPieces(signal) }
      },
      async replaceJobAnnotations({ id, body }, { signal }) {
        if (id === 5) await workLong(signal) // before it reads
        let size = 0
        for await (const piece of body) {
          size += piece.length
          arrived.pieces++
        }
        if (id !== 5) await workLong(signal)
        return { head: {}, chunks: bytesOf(`{"version":${size}}`) }
      },
    },
    requests: {
      async openUpload() {
        return { upload_id: 'u', prefix: 'u/u/' }
      },
      async startImport(_input, { signal }) {
        await workLong(signal)
        return { rq_id: 'r' }
      },
      async openChunk(_input, { signal }) {
        await workLong(signal)
        return { offset: 5 } as never
      },
    },
    frames: {
      async getJobPreview(_input, { signal }) {
        await workLong(signal)
        return { head: { type: 'image/jpeg', length: 4 }, chunks: bytesOf('jpeg') }
      },
    },
  }
}

/** Opens a raw connection; returns the received bytes and how it ended. */
function dialPort(port: number, bytes: string) {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  const seen = { text: '', isReset: false }
  socket.on('error', () => {
    seen.isReset = true
  })
  socket.on('data', (piece) => {
    seen.text += piece.toString('latin1')
  })
  socket.on('end', () => socket.end())
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.write(bytes)
  return { socket, seen, closed }
}

/**
 * Starts the gateway of a test file, with the entries of its log. Each file starts its own one: test files of one
 * worker share imported modules, and a gateway ends with the file that started it.
 */
export async function workingGateway() {
  const rows: unknown[] = []
  const log: Logger = silentLog.child({}, { level: 'silent' })
  log.info = (row: unknown) => void rows.push(row)
  log.debug = (row: unknown) => void rows.push(row)

  const handlers = createWork()
  const { port, send } = await startTestGateway({
    log,
    settings: { idleTimeoutMs, requestTimeoutMs },
    services: createServices(handlers),
  })
  beforeEach(() => {
    rows.length = 0
    handlers.arrived.pieces = 0
  })
  return { ...handlers, rows, log, send, dial: (bytes: string, to = port) => dialPort(to, bytes) }
}
