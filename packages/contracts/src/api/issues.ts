import { comment, commentCreate, commentList, commentPatch } from '../rest/comments.ts'
import { idParams, ifMatch, nothing, page } from '../rest/common.ts'
import { issue, issueCreate, issueList, issuePatch } from '../rest/issues.ts'
import { defineOperations, del, get, patch, post } from './operation.ts'

/** Issues of a review, and their comments. */
export const issues = defineOperations('IssueService', {
  listIssues: get('/issues', { query: issueList, answers: { 200: page(issue, 'IssuePage') } }),
  createIssue: post('/issues', { body: issueCreate, etag: 'date', answers: { 201: issue } }),
  getIssue: get('/issues/:id', { params: idParams, etag: 'date', answers: { 200: issue } }),
  updateIssue: patch('/issues/:id', {
    params: idParams,
    headers: ifMatch,
    body: issuePatch,
    etag: 'date',
    answers: { 200: issue },
  }),
  deleteIssue: del('/issues/:id', {
    params: idParams,
    headers: ifMatch,
    answers: { 204: nothing },
  }),
  listComments: get('/comments', {
    query: commentList,
    answers: { 200: page(comment, 'CommentPage') },
  }),
  createComment: post('/comments', {
    body: commentCreate,
    etag: 'date',
    answers: { 201: comment },
  }),
  getComment: get('/comments/:id', { params: idParams, etag: 'date', answers: { 200: comment } }),
  updateComment: patch('/comments/:id', {
    params: idParams,
    headers: ifMatch,
    body: commentPatch,
    etag: 'date',
    answers: { 200: comment },
  }),
  deleteComment: del('/comments/:id', {
    params: idParams,
    headers: ifMatch,
    answers: { 204: nothing },
  }),
})
