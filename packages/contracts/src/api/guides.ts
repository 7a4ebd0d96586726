import { idParams, ifMatch, nothing } from '../rest/common.ts'
import { guide, guideCreate, guidePatch } from '../rest/guides.ts'
import { del, get, operations, patch, post } from './operation.ts'

/** There is no list: ids of guides come from `guide_id` of projects, tasks and jobs. */
export const guides = operations('GuideService', {
  createGuide: post('/guides', { body: guideCreate, answers: { 201: guide } }),
  getGuide: get('/guides/:id', { params: idParams, answers: { 200: guide } }),
  updateGuide: patch('/guides/:id', {
    params: idParams,
    headers: ifMatch,
    body: guidePatch,
    answers: { 200: guide },
  }),
  deleteGuide: del('/guides/:id', {
    params: idParams,
    headers: ifMatch,
    answers: { 204: nothing },
  }),
})
