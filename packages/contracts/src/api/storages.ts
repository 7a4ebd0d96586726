import { z } from 'zod'
import {
  cloudStorage,
  cloudStorageActions,
  cloudStorageContent,
  cloudStorageCreate,
  cloudStorageList,
  cloudStoragePatch,
  cloudStorageRemoval,
  cloudStorageStatus,
  contentQuery,
  sourceFiles,
} from '../rest/cloud-storages.ts'
import { bytes, bytesOf, idParams, ifMatch, nothing, page } from '../rest/common.ts'
import { targets } from '../rest/facts.ts'
import { defaultStorages } from '../rest/storage.ts'
import { del, get, internal, operations, patch, post } from './operation.ts'

/** What has to be asked of somebody else's store takes as long as that one. */
const within = 60

/** What a whole file takes there or back, in seconds: as long as the request in the background that it is part of. */
const withinRequest = 4 * 3600

const fileOfStorage = z.object({ cloud_storage_id: z.int(), key: z.string() })

/** The other fields are those of the body. */
const keyForm = z.object({ key_file: bytes })

/** Buckets of users: `spec/api-workspace.md` 5.5. */
export const storages = operations('CloudStorageService', {
  listCloudStorages: get('/cloudstorages', {
    query: cloudStorageList,
    answers: { 200: page(cloudStorage, 'CloudStoragePage') },
  }),
  createCloudStorage: post('/cloudstorages', {
    body: cloudStorageCreate,
    form: keyForm,
    within,
    answers: { 201: cloudStorage },
    summary: 'Connect a bucket; it has to be there and open to the credentials',
  }),
  getCloudStorage: get('/cloudstorages/:id', {
    params: idParams,
    answers: { 200: cloudStorage },
  }),
  updateCloudStorage: patch('/cloudstorages/:id', {
    params: idParams,
    headers: ifMatch,
    body: cloudStoragePatch,
    form: keyForm,
    within,
    answers: { 200: cloudStorage },
    summary: 'Change a connected bucket; it is asked again',
  }),
  deleteCloudStorage: del('/cloudstorages/:id', {
    params: idParams,
    query: cloudStorageRemoval,
    headers: ifMatch,
    answers: { 204: nothing },
    summary: 'Forget a bucket; where it is in use only with force',
  }),
  getCloudStorageStatus: get('/cloudstorages/:id/status', {
    params: idParams,
    within,
    answers: { 200: bytesOf(cloudStorageStatus) },
    summary: 'Whether the bucket can be used now',
  }),
  listCloudStorageContent: get('/cloudstorages/:id/content-v2', {
    params: idParams,
    query: contentQuery,
    within,
    answers: { 200: cloudStorageContent },
    summary: 'One level of the keys in the bucket, directories first',
  }),
  getCloudStorageActions: get('/cloudstorages/:id/actions', {
    params: idParams,
    within,
    answers: { 200: bytesOf(cloudStorageActions) },
    summary: 'What the credentials may do in the bucket',
  }),
  /** The first image that is found, as it is; the caller must be allowed to view the storage. */
  readPreviewImage: internal({
    query: z.object({ id: z.int() }),
    within,
    answers: { 200: bytes },
  }),
  /** May files of the storage become media of the task? The caller must see it, and it has to be of the same workspace. */
  permitSource: internal({
    query: z.object({ cloud_storage_id: z.int(), task_id: z.int() }),
    answers: { 200: sourceFiles.pick({}).meta({ id: 'PermittedSource' }) },
  }),
  /** One page of the files below a prefix, or the one of that key, as far as the storage shows them; permitted as above. */
  listSourceFiles: internal({
    query: z.object({
      cloud_storage_id: z.int(),
      task_id: z.int(),
      prefix: z.string(),
      is_key: z.boolean(),
      token: z.string().optional(),
    }),
    within,
    answers: { 200: sourceFiles },
  }),
  /**
   * Bytes `start` to `end` inclusive of a file: of the storage that the media of the task is in, for whoever was shown the
   * frame; with `cloud_storage_id` of another one, permitted as above.
   */
  readSourceFile: internal({
    query: z.object({
      task_id: z.int(),
      cloud_storage_id: z.int().optional(),
      key: z.string(),
      start: z.int(),
      end: z.int(),
    }),
    answers: { 200: bytes },
  }),
  /** Where files of an object come from and go to unless a caller says so; of a job its task's. The caller must see it. */
  findDefaultStorages: internal({
    query: z.object({ target: z.enum(targets), id: z.int() }),
    answers: { 200: defaultStorages },
  }),
  /** All bytes of a file; the caller must be allowed to view the storage. */
  readStorageFile: internal({
    query: fileOfStorage,
    within: withinRequest,
    answers: { 200: bytes },
  }),
  /** All or nothing: a body that breaks off leaves nothing there. The caller must be allowed to view the storage. */
  writeStorageFile: internal({
    query: fileOfStorage,
    body: bytes,
    within: withinRequest,
    answers: { 200: nothing },
  }),
})
