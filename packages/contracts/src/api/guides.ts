import { z } from 'zod'
import { asset, assetFile, assetForm, assetParams, assetUpload } from '../rest/assets.ts'
import { bytesAs, idParams, ifMatch, nothing } from '../rest/common.ts'
import { guide, guideCreate, guidePatch } from '../rest/guides.ts'
import { defineOperations, del, get, internal, patch, post } from './operation.ts'

const assetBytes = bytesAs('image/*', 'application/pdf')

/** Guides and their assets. There are no lists: clients get ids from `guide_id` of projects, tasks and jobs. */
export const guides = defineOperations('GuideService', {
  createGuide: post('/guides', { body: guideCreate, etag: 'date', answers: { 201: guide } }),
  getGuide: get('/guides/:id', { params: idParams, etag: 'date', answers: { 200: guide } }),
  updateGuide: patch('/guides/:id', {
    params: idParams,
    headers: ifMatch,
    body: guidePatch,
    etag: 'date',
    answers: { 200: guide },
  }),
  deleteGuide: del('/guides/:id', {
    params: idParams,
    headers: ifMatch,
    answers: { 204: nothing },
  }),
  createAsset: post('/assets', {
    by: 'gateway',
    form: assetForm,
    answers: { 201: asset },
    summary: 'Add a picture or a PDF of at most 10 MB to a guide',
  }),
  getAsset: get('/assets/:uuid', {
    by: 'gateway',
    params: assetParams,
    answers: { 200: assetBytes, 206: assetBytes },
    summary: 'The file of an asset',
  }),
  deleteAsset: del('/assets/:uuid', { params: assetParams, answers: { 204: nothing } }),
  /** Registers an upload before its first byte; its file is stored below `prefix`. */
  openAssetUpload: internal({
    answers: {
      200: z
        .object({ upload_id: z.string(), prefix: z.string() })
        .meta({ id: 'OpenedAssetUpload' }),
    },
  }),
  /** Stores an asset and scales large images down. */
  storeAsset: internal({ within: 60, body: assetUpload, answers: { 201: asset } }),
  /** Returns the location of the file of an asset that the caller may view. */
  getAssetFile: internal({ query: assetParams, answers: { 200: assetFile } }),
})
