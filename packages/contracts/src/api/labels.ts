import { z } from 'zod'
import { idParams, ifMatch, nothing, page } from '../rest/common.ts'
import { labelSet, targets } from '../rest/facts.ts'
import { label, labelList, labelPatch } from '../rest/labels.ts'
import { defineOperations, del, get, internal, patch } from './operation.ts'

export const labels = defineOperations('LabelService', {
  listLabels: get('/labels', { query: labelList, answers: { 200: page(label, 'LabelPage') } }),
  getLabel: get('/labels/:id', { params: idParams, etag: 'content', answers: { 200: label } }),
  updateLabel: patch('/labels/:id', {
    params: idParams,
    headers: ifMatch,
    body: labelPatch,
    etag: 'content',
    answers: { 200: label },
  }),
  deleteLabel: del('/labels/:id', {
    params: idParams,
    headers: ifMatch,
    answers: { 204: nothing },
  }),
  /** Returns the labels that annotations of a target may use. */
  getLabelSet: internal({
    query: z.object({ target: z.enum(targets), id: z.int() }),
    answers: { 200: labelSet },
  }),
})
