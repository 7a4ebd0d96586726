import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import { apiVersion } from '@reticle/contracts/openapi'
import { DomainError } from '@reticle/kit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { baseOf, originOf } from '../call/request.ts'
import { listsHtml } from '../plugins/accept.ts'
import { toJson } from '../responses/present.ts'

/** Allows scripts, styles and calls of this site only; images may also be created by the page. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "font-src 'self'",
  "img-src 'self' data: blob:",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

const yearMs = 365 * 86_400_000

/**
 * Serves `@reticle/console`. Its assets have hashed names, are precompressed and cached by browsers; every other URL
 * that a browser opens as a page gets the one document, which routes by itself. Clients that do not accept pages,
 * such as load balancers, get the URLs of the API and the console at `/`.
 */
export async function serveConsole(app: FastifyInstance): Promise<void> {
  const folder = fileURLToPath(new URL('.', import.meta.resolve('@reticle/console/index.html')))
  await app.register(async (scope) => serveAssetsOf(scope, join(folder, 'assets')))
  const document = join(folder, 'index.html')
  app.setNotFoundHandler(async (request, reply) => {
    if (isRoot(request)) return reply.type('application/json').send(toJson(rootOf(request)))
    if (!isPage(request)) throw new DomainError('not_found', 'Not found.')
    reply.headers({ 'cache-control': 'no-cache', 'content-security-policy': policy })
    return reply.type('text/html; charset=utf-8').send(await readFile(document)) // `npm run dev` rewrites it
  })
}

/**
 * Serves assets with `Vary` limited to the encoding: they are equal for all users, so browsers keep them after a
 * sign-in or sign-out.
 */
async function serveAssetsOf(scope: FastifyInstance, root: string): Promise<void> {
  scope.addHook('onSend', async (_request, reply) => {
    if (reply.statusCode < 400) reply.header('vary', 'Accept-Encoding')
  })
  await scope.register(fastifyStatic, {
    root,
    prefix: '/assets/',
    index: false,
    allowedPath: (path) => /^\/[\w-][\w.-]*$/.test(path), // other names are not assets: 404
    preCompressed: true,
    immutable: true,
    maxAge: yearMs,
  })
}

/**
 * Returns whether a browser opens the URL as a page. URLs of the API are excluded, because their 404 responses are
 * JSON.
 */
function isPage(request: FastifyRequest): boolean {
  const isApi = request.mount !== '' || /^\/(api|assets)(\/|\?|$)/.test(request.url)
  return isRead(request) && !isApi && readsPages(request)
}

/** Returns whether a client that does not accept pages reads `/`, with or without a query. */
function isRoot(request: FastifyRequest): boolean {
  const isAtRoot = request.mount === '' && /^\/(\?|$)/.test(request.url)
  return isRead(request) && isAtRoot && !readsPages(request)
}

const isRead = ({ method }: FastifyRequest) => method === 'GET' || method === 'HEAD'
const readsPages = ({ headers }: FastifyRequest) => listsHtml(headers.accept)

const rootOf = (request: FastifyRequest) => ({
  name: 'Reticle',
  version: apiVersion,
  api: `${baseOf(request)}/`,
  console: `${originOf(request)}/`,
})
