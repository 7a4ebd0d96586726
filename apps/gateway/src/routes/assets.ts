import { tables } from '@reticle/contracts'
import { assetParams } from '@reticle/contracts/rest/assets'
import { formatAttachment } from '@reticle/kit/net/content-disposition'
import type { FastifyInstance } from 'fastify'
import { contextOf } from '../call/request.ts'
import { createInputReader } from '../operations/read.ts'
import { pathOf } from '../operations/serve.ts'
import type { GatewayPorts } from '../ports.ts'
import { sendFile } from './downloads.ts'

/**
 * Serves `GET /assets/{uuid}`, streamed from the object store. Images are displayed inline, documents are downloaded;
 * neither may run scripts or load other content.
 */
export function serveAssets(api: FastifyInstance, { services, blobs, settings }: GatewayPorts) {
  const operation = tables.guides.getAsset
  const read = createInputReader(operation, settings)
  const config = { operation, ignoresAccept: true }
  api.get(pathOf(operation), { config }, async (request, reply) => {
    const input = assetParams.parse(await read(request))
    const found = await services.guides.getAssetFile(input, contextOf(request))
    const file = { ...found, finished_date: found.created_date }
    return sendFile(request, reply, file, blobs, {
      'content-security-policy': "default-src 'none'; sandbox",
      'content-disposition': contentDispositionOf(file),
    })
  })
}

function contentDispositionOf({
  filename,
  media_type,
}: {
  filename: string
  media_type: string
}): string {
  const saved = formatAttachment(filename)
  return media_type.startsWith('image/') ? saved.replace(/^attachment/, 'inline') : saved
}
