import multipart from '@fastify/multipart'
import { restOperations, tables } from '@reticle/contracts'
import type { Operation } from '@reticle/contracts/api/operation'
import type { UploadPurpose } from '@reticle/contracts/rest/uploads'
import { DomainError } from '@reticle/kit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { announcedLength } from '../bodies/body.ts'
import { assertBoundary } from '../bodies/form.ts'
import { stepOf, type UploadStep } from '../bodies/upload-steps.ts'
import { contextOf, isForm } from '../call/request.ts'
import { createInputReader } from '../operations/read.ts'
import { pathOf } from '../operations/serve.ts'
import type { GatewayPorts } from '../ports.ts'
import { presentResult } from '../responses/present.ts'
import { createFile, type FileRoutes, serveFiles } from '../tus/files.ts'
import { importFinish, importStart, importUpload } from './annotation-upload.ts'
import { assetUpload } from './asset-upload.ts'
import { restoreFinish, restoreStart, restoreUpload } from './backup-upload.ts'
import { dataFinish, dataMultiple, dataStart, dataUpload } from './data-upload.ts'
import type { Upload, UploadCall } from './upload.ts'

/** Routes of uploads in a single call or in several (docs/spec/requests.md#uploads). */
interface Collection extends FileRoutes {
  all: Operation
  steps: Partial<Record<UploadStep, Upload>>
}

const { requests, guides } = tables
const ofData = {
  once: dataUpload,
  start: dataStart,
  multiple: dataMultiple,
  finish: dataFinish,
}
const ofBackup = { once: restoreUpload, start: restoreStart, finish: restoreFinish }
const ofAnnotations = { once: importUpload, start: importStart, finish: importFinish }

const createCollection = (
  purpose: UploadPurpose,
  [all, seen, sent]: readonly [Operation, Operation, Operation],
  steps: Collection['steps'],
): Collection => ({ purpose, all, stateOperation: seen, chunkOperation: sent, steps })

const { uploadTaskData, getTaskDataFile, sendTaskDataFile } = requests
const { importTaskAnnotations, getTaskAnnotationsFile, sendTaskAnnotationsFile } = requests
const { importJobAnnotations, getJobAnnotationsFile, sendJobAnnotationsFile } = requests

const { importProjectDataset, getProjectDatasetFile, sendProjectDatasetFile } = requests
const { importProjectBackup, getProjectBackupFile, sendProjectBackupFile } = requests
const { importTaskBackup, getTaskBackupFile, sendTaskBackupFile } = requests

const collections: readonly Collection[] = [
  createCollection(
    'backup',
    [importProjectBackup, getProjectBackupFile, sendProjectBackupFile],
    ofBackup,
  ),
  createCollection('backup', [importTaskBackup, getTaskBackupFile, sendTaskBackupFile], ofBackup),
  createCollection('data', [uploadTaskData, getTaskDataFile, sendTaskDataFile], ofData),
  createCollection(
    'annotations',
    [importTaskAnnotations, getTaskAnnotationsFile, sendTaskAnnotationsFile],
    ofAnnotations,
  ),
  createCollection(
    'annotations',
    [importJobAnnotations, getJobAnnotationsFile, sendJobAnnotationsFile],
    ofAnnotations,
  ),
  createCollection(
    'dataset',
    [importProjectDataset, getProjectDatasetFile, sendProjectDatasetFile],
    ofAnnotations,
  ),
]

/** Operations with the resumable upload protocol. */
export const resumable = restOperations.filter((one) => one.resumable || one.media_type)

/** Serves uploads, streamed into the object store. */
export function serveUploads(api: FastifyInstance, ports: GatewayPorts): void {
  void api.register(async (scope) => {
    await scope.register(multipart)
    for (const one of collections) {
      serveCollection(scope, one, ports)
      serveFiles(scope, one, ports)
    }
    serveUpload(
      scope,
      guides.createAsset,
      async (call, request, reply) => {
        const answer = await assetUpload(call, ports)
        return presentResult(call.operation, request, reply, answer)
      },
      ports,
    )
  })
}

type Answer = (
  call: UploadCall,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<FastifyReply>

/** Params; a restore creates a new object, so it has no id. */
const ofObject = z.object({ id: z.int().default(0) })

function serveCollection(
  scope: FastifyInstance,
  { all: operation, steps, purpose }: Collection,
  ports: GatewayPorts,
): void {
  serveUpload(
    scope,
    operation,
    async (call, request, reply) => {
      const step = stepOf(request)
      if (step === 'create') {
        const { id } = ofObject.parse(call.input)
        return createFile({ purpose, operation, id }, call, reply, ports)
      }
      const take = steps[step]
      if (!take)
        throw new DomainError('invalid', 'Only media of tasks is sent with Upload-Multiple.')
      const answer = await take(call, ports)
      if (step !== 'multiple') return presentResult(operation, request, reply, answer)
      return reply.code(200).header('cache-control', 'no-store').send()
    },
    ports,
  )
}

function serveUpload(
  scope: FastifyInstance,
  operation: Operation,
  answer: Answer,
  { settings }: GatewayPorts,
): void {
  const read = createInputReader(operation, settings)
  scope.post(pathOf(operation), { config: { operation } }, async (request, reply) => {
    const input = await read(request)
    if (announcedLength(request.raw) === 0) request.repeat?.end()
    else if (isForm(request)) assertBoundary(request)
    return answer({ operation, input, request, context: contextOf(request) }, request, reply)
  })
}
