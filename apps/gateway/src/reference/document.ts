import { z } from 'zod'

/** Parts of an OpenAPI document that the page shows. */

const schema = z.looseObject({})
const content = z.record(z.string(), z.looseObject({ schema: schema.default({}) }))
const answer = z.looseObject({
  $ref: z.string().optional(),
  description: z.string().default(''),
  content: content.default({}),
})
const parameter = z.looseObject({
  name: z.string(),
  in: z.string(),
  required: z.boolean().default(false),
  description: z.string().optional(),
  schema,
})
const operation = z.looseObject({
  operationId: z.string(),
  tags: z.tuple([z.string()]),
  summary: z.string(),
  deprecated: z.boolean().default(false),
  security: z.array(z.unknown()).optional(),
  parameters: z.array(parameter).default([]),
  requestBody: z.looseObject({ content }).optional(),
  responses: z.record(z.string(), answer),
})
const document = z.looseObject({
  info: z.looseObject({ title: z.string(), version: z.string(), description: z.string() }),
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z.looseObject({
    schemas: z.record(z.string(), schema),
    responses: z.record(z.string(), answer),
  }),
})

export type ReferenceSchema = z.infer<typeof schema>
export type DocumentResponse = z.infer<typeof answer>
export type ReferenceParameter = z.infer<typeof parameter>
export type DocumentSchemas = Record<string, ReferenceSchema>

export interface ReferenceOperation extends z.infer<typeof operation> {
  method: string
  path: string
  group: string
}

export interface ApiDocument {
  info: z.infer<typeof document>['info']
  /** In the order of their groups. */
  rows: ReferenceOperation[]
  schemas: DocumentSchemas
  failures: Record<string, DocumentResponse>
}

export function readDocument(given: unknown): ApiDocument {
  const { info, paths, components } = document.parse(given)
  const rows = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]): ReferenceOperation => {
      return { ...one, path, method: method.toUpperCase(), group: groups[one.tags[0]] ?? 'Other' }
    }),
  )
  rows.sort((a, b) => groupIndexOf(a) - groupIndexOf(b))
  return { info, rows, schemas: components.schemas, failures: components.responses }
}

/** Headings of tags, in the order that suits new users. */
const groups: Record<string, string> = {
  Identity: 'Accounts and tokens',
  Project: 'Projects',
  Label: 'Labels',
  Task: 'Tasks',
  Media: 'Media: metadata of frames',
  Frame: 'Media: images',
  Job: 'Jobs',
  Annotation: 'Annotations',
  Request: 'Imports, exports, backups and their requests',
  Issue: 'Issues and comments',
  Guide: 'Guides',
  Organization: 'Organizations',
  CloudStorage: 'Cloud storages',
  Webhook: 'Webhooks',
  Event: 'Events',
  Server: 'This server',
  Gone: 'Removed operations',
}
const groupIndexOf = ({ tags: [tag] }: ReferenceOperation) => Object.keys(groups).indexOf(tag)

export const nameOf = ($ref: string): string => $ref.split('/').at(-1) ?? ''
