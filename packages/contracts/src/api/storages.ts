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
import { defineOperations, del, get, internal, patch, post } from './operation.ts'

/** Timeout in seconds of calls that depend on a store of a user. */
const within = 60

/** Timeout in seconds of the transfer of a whole file: as long as its background request may take. */
const withinRequest = 4 * 3600

const fileOfStorage = z.object({ cloud_storage_id: z.int(), key: z.string() })

/** The other fields are those of the body. */
const keyForm = z.object({ key_file: bytes })

/** Buckets of users. */
export const storages = defineOperations('CloudStorageService', {
  listCloudStorages: get('/cloudstorages', {
    query: cloudStorageList,
    answers: { 200: page(cloudStorage, 'CloudStoragePage') },
  }),
  createCloudStorage: post('/cloudstorages', {
    body: cloudStorageCreate,
    form: keyForm,
    within,
    etag: 'date',
    answers: { 201: cloudStorage },
    summary: 'Connect a bucket; it must exist and accept the credentials',
  }),
  getCloudStorage: get('/cloudstorages/:id', {
    params: idParams,
    etag: 'date',
    answers: { 200: cloudStorage },
  }),
  updateCloudStorage: patch('/cloudstorages/:id', {
    params: idParams,
    headers: ifMatch,
    body: cloudStoragePatch,
    form: keyForm,
    within,
    etag: 'date',
    answers: { 200: cloudStorage },
    summary: 'Change a connected bucket; the connection is tested again',
  }),
  deleteCloudStorage: del('/cloudstorages/:id', {
    params: idParams,
    query: cloudStorageRemoval,
    headers: ifMatch,
    answers: { 204: nothing },
    summary: 'Disconnect a bucket; one that is in use only with force',
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
    summary: 'Rights of the credentials in the bucket',
  }),
  /** Returns the first image of the storage unchanged; the caller must be allowed to view the storage. */
  readPreviewImage: internal({
    query: z.object({ id: z.int() }),
    within,
    answers: { 200: bytes },
  }),
  /**
   * Checks that files of the storage may become media of the task. The caller must be allowed to view the storage,
   * which must belong to the same workspace.
   */
  permitSource: internal({
    query: z.object({ cloud_storage_id: z.int(), task_id: z.int() }),
    answers: { 200: sourceFiles.pick({}).meta({ id: 'PermittedSource' }) },
  }),
  /**
   * Returns one page of the files below a prefix, or the file of that
   * key, if the storage shows them; permission as above.
   */
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
   * Returns the bytes `start` to `end` inclusive of a file: of the storage with the media of the task, if the caller
   * may see the frame, or of the storage `cloud_storage_id`, with permission as above.
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
  /**
   * Returns the default source and target storages of an object; for a job, those of its task. The caller must be
   * allowed to view it.
   */
  findDefaultStorages: internal({
    query: z.object({ target: z.enum(targets), id: z.int() }),
    answers: { 200: defaultStorages },
  }),
  /** Returns all bytes of a file; the caller must be allowed to view the storage. */
  readStorageFile: internal({
    query: fileOfStorage,
    within: withinRequest,
    answers: { 200: bytes },
  }),
  /**
   * Writes a file completely or not at all: a body that breaks off leaves
   * nothing. The caller must be allowed to view the storage.
   */
  writeStorageFile: internal({
    query: fileOfStorage,
    body: bytes,
    within: withinRequest,
    answers: { 200: nothing },
  }),
})
