import { tables } from '@reticle/contracts'
import { apiVersion } from '@reticle/contracts/openapi'
import type { FastifyInstance } from 'fastify'
import { sendJson } from '../present.ts'
import { originOf } from '../request.ts'
import { pathOf } from '../serve.ts'

const logoPath = '/static/logo.svg'

const about = {
  name: 'Reticle',
  subtitle: 'Self-hosted image annotation',
  description: 'Projects, tasks, jobs and annotations for computer vision data',
  version: apiVersion,
}

/** Serves `GET /server/about`: name and version, by which clients decide whether they are compatible. */
export function serveAbout(api: FastifyInstance): void {
  const operation = tables.server.getAbout
  api.get(pathOf(operation), { config: { operation } }, (request, reply) => {
    reply.header('cache-control', 'no-store')
    return sendJson(request, reply, { ...about, logo_url: originOf(request) + logoPath })
  })
}

const logo = [
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" width="64" height="64">',
  '<g fill="none" stroke="#2b6cb0" stroke-width="4"><circle cx="32" cy="32" r="18"/>',
  '<path d="M32 4v18M32 42v18M4 32h18M42 32h18"/></g><circle cx="32" cy="32" r="3" fill="#c53030"/></svg>',
].join('')

/** Serves the image of `logo_url`. */
export function serveLogo(app: FastifyInstance): void {
  app.get(logoPath, (_request, reply) =>
    reply
      .headers({ 'content-type': 'image/svg+xml', 'cache-control': 'public, max-age=86400' })
      .send(Buffer.from(logo)),
  )
}
