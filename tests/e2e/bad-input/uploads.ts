import { metadata, tus } from '../../support/tus.ts'
import { type BadInputRow, buildRows } from './row.ts'

/**
 * Rows 80 and 85: chunked uploads. `{file}` belongs to anna, has a length of ten bytes, and has received none of them.
 */

const piece = (headers: Record<string, string> = {}) => ({
  ...tus,
  'content-type': 'application/offset+octet-stream',
  'upload-offset': '0',
  ...headers,
})
const path = '/tasks/{task}/annotations'
const file = `PATCH ${path}/{file}`
const said = (name: string, length = '5') => ({
  ...{ ...tus, 'upload-length': length, 'upload-metadata': metadata(name) },
})

export const uploads: BadInputRow[] = [
  {
    row: 85,
    what: 'more than the file has',
    ...{ call: file, raw: 'x'.repeat(11), headers: piece(), status: 413 },
    code: 'payload_too_large',
  },
  ...buildRows(
    {
      'that nobody was given': '1_00000000-0000-4000-8000-000000000000',
      'that is none': 'x',
      'of 300 characters': 'x'.repeat(300),
    },
    (id) => ({
      ...{ row: 85, call: `PATCH ${path}/${id}`, raw: 'x', headers: piece(), status: 404 },
    }),
  ),
  {
    row: 85,
    what: 'the file of somebody else',
    ...{ call: file, as: 'bo', raw: 'x', headers: piece(), status: 403 },
  },
  ...buildRows({ 'no number': 'x', negative: '-1', 'of 30 digits': '9'.repeat(30) }, (offset) => ({
    ...{ row: 85, call: file, raw: 'x', headers: piece({ 'upload-offset': offset }) },
    ...{ status: 400, field: 'Upload-Offset' },
  })),
  {
    row: 85,
    what: 'another version',
    ...{ call: file, raw: 'x', headers: piece({ 'tus-resumable': '2.0.0' }), status: 412 },
    code: 'tus_version',
  },
  ...buildRows(
    {
      'a name that climbs': '../x',
      'an absolute name': '/x',
      'an empty name': '',
      'a name with a NUL': 'x\0',
      'a name of 1,025': 'x'.repeat(1025),
    },
    (name) => ({
      ...{ row: 80, call: `POST ${path}/`, headers: said(name) },
      ...{ status: 400, field: 'Upload-Metadata' },
    }),
  ),
  {
    row: 85,
    what: 'more than any file may have',
    ...{ call: `POST ${path}/`, headers: said('x', '26843545601'), status: 413 },
  },
  {
    row: 85,
    what: 'an end that names no file',
    call: `POST ${path}/?format=COCO%201.0&filename=x`,
    ...{ headers: { 'upload-finish': '' }, status: 400, code: 'upload_unknown' },
  },
]
