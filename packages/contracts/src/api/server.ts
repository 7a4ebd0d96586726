import { z } from 'zod'
import { formatLosses, formats } from '../rest/formats.ts'
import {
  about,
  capabilities,
  document,
  health,
  healthQuery,
  limits,
  pageToRead,
  partFacts,
  plugins,
  schemaQuery,
  shareEntry,
  shareListing,
  shareQuery,
} from '../rest/server.ts'
import { defineOperations, get, internal } from './operation.ts'

const toAnyone = { by: 'gateway', access: 'anyone' } as const

export const server = defineOperations('ServerService', {
  getAbout: get('/server/about', {
    ...toAnyone,
    answers: { 200: about },
    summary: 'Name and version of this server',
  }),
  getHealth: get('/server/health', {
    ...toAnyone,
    limit: 'none',
    query: healthQuery,
    refuses: [403],
    answers: { 200: health, 503: health },
    summary: 'Which parts of this server work',
  }),
  getPlugins: get('/server/plugins', {
    by: 'gateway',
    answers: { 200: plugins },
    summary: 'Plugins that pages of CVAT query',
  }),
  getCapabilities: get('/server/capabilities', {
    ...toAnyone,
    answers: { 200: capabilities },
    summary: 'What this installation can do',
  }),
  getLimits: get('/server/limits', {
    by: 'gateway',
    answers: { 200: limits },
    summary: 'Every effective limit: a number by its name',
  }),
  listShare: get('/server/share', {
    by: 'gateway',
    query: shareQuery,
    answers: { 200: z.array(shareEntry) },
    summary: 'Files and folders of the share, one folder at a time',
  }),
  getSchema: get('/schema', {
    ...toAnyone,
    query: schemaQuery,
    answers: { 200: document },
    summary: 'This API as an OpenAPI 3.1 document',
  }),
  getDocs: get('/docs', {
    ...toAnyone,
    answers: { 200: pageToRead },
    summary: 'This API as a page',
  }),
  getSwagger: get('/swagger', {
    ...toAnyone,
    answers: { 200: pageToRead },
    summary: 'The same page, at the path that CVAT clients use',
  }),
  getUserAgreements: get('/user-agreements', {
    ...toAnyone,
    answers: { 200: z.array(z.unknown()) },
    summary: 'Agreements that users must accept to register; the list is empty',
  }),
  listFormats: get('/server/annotation/formats', {
    answers: { 200: formats },
    summary: 'Formats that can be imported and exported',
  }),
  listFormatLosses: get('/server/formats/losses', {
    answers: { 200: formatLosses },
    summary: 'What exports of each format keep, convert and drop',
  }),
  /** Implementation of `listShare`, whose answer is a bare list. */
  readShare: internal({ query: shareQuery, answers: { 200: shareListing } }),
  /** Returns the limits and capabilities of this service. */
  describe: internal({ answers: { 200: partFacts } }),
})
