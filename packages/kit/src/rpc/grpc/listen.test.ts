import { setTimeout as sleep } from 'node:timers/promises'
import { Client, credentials, type ServiceError } from '@grpc/grpc-js'
import { defineOperations, get } from '@reticle/contracts/api/operation'
import { service as healthService } from 'grpc-health-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import type { Service } from '../../call/context.ts'
import { callAs } from '../../testing/call.ts'
import { protosOf } from '../../testing/protos.ts'
import { guardHandlers } from '../guard.ts'
import { connectGrpc } from './connect.ts'
import { type GrpcServer, listenGrpc } from './listen.ts'

/** Health and graceful shutdown of a gRPC server. */

const table = defineOperations('SlowService', {
  wait: get('/wait', {
    query: z.object({ ms: z.int() }),
    answers: { 200: z.object({ ms: z.int() }).meta({ id: 'Waited' }) },
  }),
})
const protos = protosOf(table)
const keys = ['k']
const host = '127.0.0.1'
const handlers: Service<typeof table> = {
  wait: async ({ ms }) => {
    await sleep(ms)
    return { ms }
  },
}

async function opened() {
  const server = await listenGrpc({ host, port: 0, keys, protos }, (serve) =>
    serve(
      table,
      guardHandlers(handlers, () => undefined),
    ),
  )
  const address = `${host}:${server.port}`
  const connection = connectGrpc({ address, keys, protos })
  const client = new Client(address, credentials.createInsecure())
  const end = async () => {
    connection.close()
    client.close()
    await server.stop()
  }
  return { server, client, slow: connection.service(table), end }
}

/** Returns the status of a service from `grpc.health.v1`; the empty name queries the whole process. */
function statusOf(client: Client, service: string): Promise<string> {
  const { path, requestSerialize, responseDeserialize } =
    healthService.Check ?? expect.unreachable()
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(
      path,
      requestSerialize,
      (bytes: Buffer) => Object(responseDeserialize(bytes)).status,
      { service },
      (error: ServiceError | null, status?: string) =>
        error ? reject(error) : resolve(status ?? ''),
    )
  })
}

test('health is reported per service and for the process, without a signature, and is initially negative', async () => {
  const { server, client, end } = await opened()
  const names = ['', 'reticle.v1.SlowService']
  const all = () => Promise.all(names.map((name) => statusOf(client, name)))
  expect(await all()).toEqual(['NOT_SERVING', 'NOT_SERVING'])
  server.setServing(true)
  expect(await all()).toEqual(['SERVING', 'SERVING'])
  server.setServing(false)
  expect(await all()).toEqual(['NOT_SERVING', 'NOT_SERVING'])
  await expect(statusOf(client, 'reticle.v1.OtherService')).rejects.toMatchObject({ code: 5 })
  await end()
})

test('a stopping service reports it first, still answers, and finishes running calls', async () => {
  const { server, client, slow, end } = await opened()
  server.setServing(true)
  const early = slow.wait({ ms: 400 }, callAs(null))
  await sleep(50)
  server.setServing(false)
  expect(await statusOf(client, '')).toBe('NOT_SERVING')
  expect(await slow.wait({ ms: 50 }, callAs(null))).toEqual({ ms: 50 })
  const stopping = server.stop()
  expect(await early).toEqual({ ms: 400 })
  await stopping
  const after = slow.wait({ ms: 0 }, callAs(null, { deadline: Date.now() + 1000 }))
  await expect(after).rejects.toMatchObject({ kind: 'unavailable' })
  await end()
})

test('a port that is in use is an error that names the cause', async () => {
  const { server, end } = await opened()
  const again: Promise<GrpcServer> = listenGrpc(
    { host, port: server.port, keys, protos },
    () => undefined,
  )
  await expect(again).rejects.toThrow('EADDRINUSE')
  await end()
})
