import { formats } from '../rest/formats.ts'
import { about, document, health, schemaQuery } from '../rest/server.ts'
import { get, operations } from './operation.ts'

export const server = operations('ServerService', {
  getAbout: get('/server/about', {
    by: 'gateway',
    access: 'anyone',
    answers: { 200: about },
    summary: 'Name and version of this server',
  }),
  getHealth: get('/server/health', {
    by: 'gateway',
    access: 'anyone',
    limit: 'none',
    answers: { 200: health, 503: health },
    summary: 'Which parts of this server work',
  }),
  getSchema: get('/schema', {
    by: 'gateway',
    access: 'anyone',
    query: schemaQuery,
    answers: { 200: document },
    summary: 'This interface as an OpenAPI 3.1 document',
  }),
  listFormats: get('/server/annotation/formats', {
    answers: { 200: formats },
    summary: 'Formats that can be imported and exported',
  }),
})
