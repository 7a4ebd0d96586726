import { idParams, ifMatch, nothing, page } from '../rest/common.ts'
import { project, projectCreate, projectList, projectPatch } from '../rest/projects.ts'
import { defineOperations, del, get, patch, post } from './operation.ts'

export const projects = defineOperations('ProjectService', {
  listProjects: get('/projects', {
    query: projectList,
    answers: { 200: page(project, 'ProjectPage') },
  }),
  createProject: post('/projects', {
    body: projectCreate,
    etag: 'revision',
    answers: { 201: project },
  }),
  getProject: get('/projects/:id', {
    params: idParams,
    etag: 'revision',
    answers: { 200: project },
  }),
  updateProject: patch('/projects/:id', {
    params: idParams,
    headers: ifMatch,
    body: projectPatch,
    busy: { target: 'project', when: 'organization_id' },
    etag: 'revision',
    answers: { 200: project },
  }),
  deleteProject: del('/projects/:id', {
    params: idParams,
    headers: ifMatch,
    answers: { 204: nothing },
    summary: 'Delete a project with all its tasks, jobs and annotations',
  }),
})
