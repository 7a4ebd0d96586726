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
const declared = (name: string, length = '5') => ({
  ...{ ...tus, 'upload-length': length, 'upload-metadata': metadata(name) },
})

export const uploads: BadInputRow[] = [
  {
    row: 85,
    what: 'a chunk longer than the file',
    ...{ call: file, raw: 'x'.repeat(11), headers: piece(), status: 413 },
    code: 'payload_too_large',
  },
  ...buildRows(
    {
      'an unknown file id': '1_00000000-0000-4000-8000-000000000000',
      'an invalid file id': 'x',
      'a file id of 300 characters': 'x'.repeat(300),
    },
    (id) => ({
      ...{ row: 85, call: `PATCH ${path}/${id}`, raw: 'x', headers: piece(), status: 404 },
    }),
  ),
  {
    row: 85,
    what: 'the file of another user',
    ...{ call: file, as: 'bo', raw: 'x', headers: piece(), status: 403 },
  },
  ...buildRows(
    {
      'an offset that is not a number': 'x',
      'a negative offset': '-1',
      'an offset of 30 digits': '9'.repeat(30),
    },
    (offset) => ({
      ...{ row: 85, call: file, raw: 'x', headers: piece({ 'upload-offset': offset }) },
      ...{ status: 400, field: 'Upload-Offset' },
    }),
  ),
  {
    row: 85,
    what: 'another tus version',
    ...{ call: file, raw: 'x', headers: piece({ 'tus-resumable': '2.0.0' }), status: 412 },
    code: 'tus_version',
  },
  ...buildRows(
    {
      'a file name with ..': '../x',
      'an absolute file name': '/x',
      'an empty file name': '',
      'a file name with a NUL': 'x\0',
      'a file name of 1,025 characters': 'x'.repeat(1025),
    },
    (name) => ({
      ...{ row: 80, call: `POST ${path}/`, headers: declared(name) },
      ...{ status: 400, field: 'Upload-Metadata' },
    }),
  ),
  {
    row: 85,
    what: 'a length over the limit of a file',
    ...{ call: `POST ${path}/`, headers: declared('x', '26843545601'), status: 413 },
  },
  {
    row: 85,
    what: 'a finish of an unknown file',
    call: `POST ${path}/?format=COCO%201.0&filename=x`,
    ...{ headers: { 'upload-finish': '' }, status: 400, code: 'upload_unknown' },
  },
]
