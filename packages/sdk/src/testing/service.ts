import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

/** Received request. */
export interface ReceivedCall {
  method: string
  /** Path below `/api`, with the query. */
  path: string
  headers: IncomingMessage['headers']
  body: string
}
export type TestAnswer = (response: ServerResponse, heard: ReceivedCall) => unknown

/**
 * Starts a server that answers each request by the next function, and all further ones by the last. It is closed
 * after the test.
 */
export async function startTestService(
  ...answers: TestAnswer[]
): Promise<{ url: string; heard: ReceivedCall[] }> {
  const heard: ReceivedCall[] = []
  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => '')
    const path = String(request.url).replace(/^\/api/, '')
    const one = { method: String(request.method), path, headers: request.headers, body }
    const answer = answers[Math.min(heard.length, answers.length - 1)]
    heard.push(one)
    await answer?.(response, one)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, heard }
}

/** Answers with JSON, a status and headers. */
export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): TestAnswer =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify(body))
  }

/** Closes the connection before the response. */
export const broken: TestAnswer = (response) => {
  response.socket?.destroy()
}
