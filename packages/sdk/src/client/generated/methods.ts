/** Written by `npm run codegen` from the table of operations. */
import type { SetChange, SetWrite } from '../../annotations/items.ts'
import type {
  Call,
  Collection,
  FormCall,
  JsonLogic,
  Listing,
  NoInput,
  SetCall,
  Text,
} from '../method-types.ts'
import type {
  About,
  Health,
  Plugins,
  Capabilities,
  Limits,
  ShareEntry,
  Formats,
  FormatLosses,
  Login,
  LoginAnswer,
  Detail,
  Register,
  Registered,
  PasswordChange,
  EmailAddress,
  PasswordReset,
  EmailKey,
  MetaUser,
  User,
  UserPatch,
  AccessToken,
  AccessTokenCreate,
  AccessTokenCreated,
  AccessTokenPatch,
  Organization,
  OrganizationCreate,
  OrganizationPatch,
  OrganizationTransfer,
  Membership,
  MembershipPatch,
  Invitation,
  InvitationCreate,
  InvitationAccepted,
  Project,
  Label,
  ProjectCreate,
  ProjectPatch,
  LabelPatch,
  Task,
  TaskCreate,
  TaskPatch,
  TaskValidationLayout,
  ValidationLayoutPatch,
  Job,
  JobCreate,
  JobPatch,
  JobValidationLayout,
  Issue,
  IssueCreate,
  IssuePatch,
  Comment,
  CommentCreate,
  CommentPatch,
  GuideCreate,
  Guide,
  GuidePatch,
  Asset,
  CloudStorage,
  CloudStorageCreate,
  CloudStoragePatch,
  CloudStorageContent,
  DataMeta,
  TaskDataMetaPatch,
  JobDataMetaPatch,
  ProjectDataMeta,
  FoundFrame,
  AnnotationStatistics,
  AnnotationRevision,
  AnnotationDiff,
  Request,
  TaskMediaStatus,
  RqId,
  UploadState,
  DataParameters,
  ValidationParams,
  Webhook,
  WebhookCreate,
  WebhookPatch,
  WebhookPut,
  WebhookEventNames,
  Delivery,
  WebhookSecretRotation,
  WebhookRedelivery,
  WebhookMessage,
  WebhookMessagesToRedeliver,
  WebhookMessagesRedelivered,
  ClientEvents,
  AcceptedEvents,
} from '../../generated/schemas.ts'

export interface Methods {
  /** Name and version of this server. `GET /server/about` */
  getAbout: Call<NoInput, About>
  /** Which parts of this server work. `GET /server/health` */
  getHealth: Call<{ details?: boolean }, Health>
  /** Plugins that pages of CVAT query. `GET /server/plugins` */
  getPlugins: Call<NoInput, Plugins>
  /** What this installation can do. `GET /server/capabilities` */
  getCapabilities: Call<NoInput, Capabilities>
  /** Every effective limit: a number by its name. `GET /server/limits` */
  getLimits: Call<NoInput, Limits>
  /** Files and folders of the share, one folder at a time. `GET /server/share` */
  listShare: Call<{ directory?: Text; search?: Text }, ShareEntry[]>
  /** This API as an OpenAPI 3.1 document. `GET /schema` */
  getSchema: Call<{ scheme?: Text; lang?: Text }, Response>
  /** This API as a page. `GET /docs` */
  getDocs: Call<NoInput, Response>
  /** The same page, at the path that CVAT clients use. `GET /swagger` */
  getSwagger: Call<NoInput, Response>
  /** Agreements that users must accept to register; the list is empty. `GET /user-agreements` */
  getUserAgreements: Call<NoInput, unknown[]>
  /** Formats that can be imported and exported. `GET /server/annotation/formats` */
  listFormats: Call<NoInput, Formats>
  /** What exports of each format keep, convert and drop. `GET /server/formats/losses` */
  listFormatLosses: Call<NoInput, FormatLosses>
  /** Sign in with user name or e-mail and password; sets the cookies of a session. `POST /auth/login` */
  login: Call<{ body: Login }, LoginAnswer>
  /** End the session and the legacy token that this request carries. `POST /auth/logout` */
  logout: Call<NoInput, Detail>
  /** Register an account. `POST /auth/register` */
  register: Call<{ body: Register }, Registered>
  /** Change the password; ends all other sessions and all legacy tokens. `POST /auth/password/change` */
  changePassword: Call<{ body: PasswordChange }, Detail>
  /** Request a mail to reset the password. `POST /auth/password/reset` */
  resetPassword: Call<{ body: EmailAddress }, Detail>
  /** Set a new password with the key of the mail. `POST /auth/password/reset/confirm` */
  confirmPasswordReset: Call<{ body: PasswordReset }, Detail>
  /** Verify an e-mail address with the key that was sent to it. `POST /auth/email/verify` */
  verifyEmail: Call<{ body: EmailKey }, Detail>
  /** Request another verification mail. `POST /auth/email/resend` */
  resendEmail: Call<{ body: EmailAddress }, Detail>
  /** Link of the verification mail: verifies the address and redirects to the console. `GET /auth/account-confirm-email/{key}` */
  followEmailLink: Call<{ key: string }, Response>
  /** `GET /users` */
  listUsers: Listing<{ page?: Text; page_size?: Text; sort?: Text; search?: Text; filter?: Text | JsonLogic; id?: number; username?: Text; first_name?: Text; last_name?: Text; is_active?: boolean; org?: Text; org_id?: number }, MetaUser>
  /** The signed-in user. `GET /users/self` */
  getSelf: Call<{ org?: Text; org_id?: number }, User>
  /** `GET /users/{id}` */
  getUser: Call<{ id: number }, MetaUser>
  /** `PATCH /users/{id}` */
  updateUser: Call<{ id: number; body?: UserPatch }, User>
  /** Delete an account; objects that it owned are kept without an owner. `DELETE /users/{id}` */
  deleteUser: Call<{ id: number }, void>
  /** `GET /auth/access_tokens` */
  listAccessTokens: Listing<{ page?: Text; page_size?: Text; sort?: Text; search?: Text; filter?: Text | JsonLogic; id?: number; name?: Text; read_only?: boolean }, AccessToken>
  /** Create an access token; only this response contains its value. `POST /auth/access_tokens` */
  createAccessToken: Call<{ body: AccessTokenCreate }, AccessTokenCreated>
  /** `GET /auth/access_tokens/self` */
  getCurrentAccessToken: Call<NoInput, AccessToken>
  /** `GET /auth/access_tokens/{id}` */
  getAccessToken: Call<{ id: number }, AccessToken>
  /** `PATCH /auth/access_tokens/{id}` */
  updateAccessToken: Call<{ id: number; if_match?: string; body?: AccessTokenPatch }, AccessToken>
  /** Revoke an access token permanently. `DELETE /auth/access_tokens/{id}` */
  deleteAccessToken: Call<{ id: number; if_match?: string }, void>
  /** `GET /organizations` */
  listOrganizations: Listing<{ page?: Text; page_size?: Text; sort?: Text; search?: Text; filter?: Text | JsonLogic; id?: number; name?: Text; owner?: Text; slug?: Text }, Organization>
  /** `POST /organizations` */
  createOrganization: Call<{ body: OrganizationCreate }, Organization>
  /** `GET /organizations/{id}` */
  getOrganization: Call<{ id: number }, Organization>
  /** `PATCH /organizations/{id}` */
  updateOrganization: Call<{ id: number; if_match?: string; body?: OrganizationPatch }, Organization>
  /** Delete an organization; its projects and tasks move to their owners or are deleted. `DELETE /organizations/{id}` */
  deleteOrganization: Call<{ id: number; objects?: "keep" | "delete"; if_match?: string }, void>
  /** Make another member the owner. `POST /organizations/{id}/transfer` */
  transferOrganization: Call<{ id: number; body: OrganizationTransfer }, Organization>
  /** `GET /memberships` */
  listMemberships: Listing<{ page?: Text; page_size?: Text; sort?: Text; search?: Text; filter?: Text | JsonLogic; id?: number; user?: Text; role?: "owner" | "maintainer" | "supervisor" | "worker"; org?: Text; org_id?: number }, Membership>
  /** `GET /memberships/{id}` */
  getMembership: Call<{ id: number }, Membership>
  /** `PATCH /memberships/{id}` */
  updateMembership: Call<{ id: number; if_match?: string; body?: MembershipPatch }, Membership>
  /** Leave an organization, or remove a member. `DELETE /memberships/{id}` */
  deleteMembership: Call<{ id: number; unassign?: boolean; if_match?: string }, void>
  /** `GET /invitations` */
  listInvitations: Listing<{ page?: Text; page_size?: Text; sort?: Text; search?: Text; filter?: Text | JsonLogic; id?: number; owner?: Text; user_id?: number; accepted?: boolean; org?: Text; org_id?: number }, Invitation>
  /** Invite a user to the organization of the request. `POST /invitations` */
  createInvitation: Call<{ org?: Text; org_id?: number; body: InvitationCreate }, Invitation>
  /** `GET /invitations/{key}` */
  getInvitation: Call<{ key: string }, Invitation>
  /** `POST /invitations/{key}/accept` */
  acceptInvitation: Call<{ key: string }, InvitationAccepted>
  /** `POST /invitations/{key}/decline` */
  declineInvitation: Call<{ key: string }, void>
  /** Send an invitation again, with a new expiry date. `POST /invitations/{key}/resend` */
  resendInvitation: Call<{ key: string }, void>
  /** `DELETE /invitations/{key}` */
  deleteInvitation: Call<{ key: string }, void>
  /** `GET /projects` */
  listProjects: Listing<{ page?: Text; page_size?: Text; sort?: Text; search?: Text; filter?: Text | JsonLogic; id?: number; name?: Text; owner?: Text; assignee?: Text; status?: "annotation" | "validation" | "completed"; org?: Text; org_id?: number }, Project>
  /** `POST /projects` */
  createProject: Call<{ org?: Text; org_id?: number; body: ProjectCreate }, Project>
  /** `GET /projects/{id}` */
  getProject: Call<{ id: number }, Project>
  /** `PATCH /projects/{id}` */
  updateProject: Call<{ id: number; if_match?: string; body?: ProjectPatch }, Project>
  /** Delete a project with all its tasks, jobs and annotations. `DELETE /projects/{id}` */
  deleteProject: Call<{ id: number; if_match?: string }, void>
  /** `GET /labels` */
  listLabels: Listing<{ page?: Text; page_size?: Text; sort?: Text; search?: Text; filter?: Text | JsonLogic; id?: number; name?: Text; type?: "any" | "cuboid" | "ellipse" | "mask" | "points" | "polygon" | "polyline" | "rectangle" | "skeleton" | "tag"; color?: Text; parent?: Text; parent_id?: number; project_id?: number; task_id?: number; job_id?: number; org?: Text; org_id?: number }, Label>
  /** `GET /labels/{id}` */
  getLabel: Call<{ id: number }, Label>
  /** `PATCH /labels/{id}` */
  updateLabel: Call<{ id: number; if_match?: string; body?: LabelPatch }, Label>
  /** `DELETE /labels/{id}` */
  deleteLabel: Call<{ id: number; if_match?: string }, void>
  /** `GET /tasks` */
  listTasks: Listing<{ page?: Text; page_size?: Text; sort?: Text; search?: Text; filter?: Text | JsonLogic; id?: number; project_id?: number; project_name?: Text; name?: Text; owner?: Text; assignee?: Text; status?: "new" | "annotation" | "validation" | "completed"; subset?: Text; mode?: "annotation" | "interpolation"; dimension?: "2d" | "3d"; tracker_link?: Text; validation_mode?: "gt" | "gt_pool"; org?: Text; org_id?: number }, Task>
  /** `POST /tasks` */
  createTask: Call<{ org?: Text; org_id?: number; body: TaskCreate }, Task>
  /** `GET /tasks/{id}` */
  getTask: Call<{ id: number }, Task>
  /** `PATCH /tasks/{id}` */
  updateTask: Call<{ id: number; if_match?: string; body?: TaskPatch }, Task>
  /** `DELETE /tasks/{id}` */
  deleteTask: Call<{ id: number; if_match?: string }, void>
  /** `GET /tasks/{id}/validation_layout` */
  getTaskValidationLayout: Call<{ id: number }, TaskValidationLayout>
  /** Select validation frames that are excluded. `PATCH /tasks/{id}/validation_layout` */
  updateTaskValidationLayout: Call<{ id: number; body?: ValidationLayoutPatch }, TaskValidationLayout>
  /** `GET /jobs` */
  listJobs: Listing<{ page?: Text; page_size?: Text; sort?: Text; search?: Text; filter?: Text | JsonLogic; id?: number; task_id?: number; project_id?: number; task_name?: Text; project_name?: Text; assignee?: Text; state?: "new" | "in progress" | "completed" | "rejected"; stage?: "annotation" | "validation" | "acceptance"; type?: "annotation" | "ground_truth" | "consensus_replica"; parent_job_id?: number; dimension?: "2d" | "3d"; mode?: "annotation" | "interpolation"; org?: Text; org_id?: number }, Job>
  /** Create a ground-truth job on selected frames of a task. `POST /jobs` */
  createJob: Call<{ org?: Text; org_id?: number; body: JobCreate }, Job>
  /** `GET /jobs/{id}` */
  getJob: Call<{ id: number }, Job>
  /** `PATCH /jobs/{id}` */
  updateJob: Call<{ id: number; if_match?: string; body?: JobPatch }, Job>
  /** `DELETE /jobs/{id}` */
  deleteJob: Call<{ id: number; if_match?: string }, void>
  /** `GET /jobs/{id}/validation_layout` */
  getJobValidationLayout: Call<{ id: number }, JobValidationLayout>
  /** `GET /issues` */
  listIssues: Listing<{ page?: Text; page_size?: Text; sort?: Text; search?: Text; filter?: Text | JsonLogic; id?: number; owner?: Text; assignee?: Text; job_id?: number; task_id?: number; resolved?: boolean; frame_id?: number; org?: Text; org_id?: number }, Issue>
  /** `POST /issues` */
  createIssue: Call<{ org?: Text; org_id?: number; body: IssueCreate }, Issue>
  /** `GET /issues/{id}` */
  getIssue: Call<{ id: number }, Issue>
  /** `PATCH /issues/{id}` */
  updateIssue: Call<{ id: number; if_match?: string; body?: IssuePatch }, Issue>
  /** `DELETE /issues/{id}` */
  deleteIssue: Call<{ id: number; if_match?: string }, void>
  /** `GET /comments` */
  listComments: Listing<{ page?: Text; page_size?: Text; sort?: Text; search?: Text; filter?: Text | JsonLogic; id?: number; owner?: Text; issue_id?: number; job_id?: number; frame_id?: number; org?: Text; org_id?: number }, Comment>
  /** `POST /comments` */
  createComment: Call<{ org?: Text; org_id?: number; body: CommentCreate }, Comment>
  /** `GET /comments/{id}` */
  getComment: Call<{ id: number }, Comment>
  /** `PATCH /comments/{id}` */
  updateComment: Call<{ id: number; if_match?: string; body?: CommentPatch }, Comment>
  /** `DELETE /comments/{id}` */
  deleteComment: Call<{ id: number; if_match?: string }, void>
  /** `POST /guides` */
  createGuide: Call<{ body?: GuideCreate }, Guide>
  /** `GET /guides/{id}` */
  getGuide: Call<{ id: number }, Guide>
  /** `PATCH /guides/{id}` */
  updateGuide: Call<{ id: number; if_match?: string; body?: GuidePatch }, Guide>
  /** `DELETE /guides/{id}` */
  deleteGuide: Call<{ id: number; if_match?: string }, void>
  /** Add a picture or a PDF of at most 10 MB to a guide. `POST /assets` */
  createAsset: FormCall<{ body?: { guide_id?: number; file?: Blob | readonly Blob[] } }, Asset>
  /** The file of an asset. `GET /assets/{uuid}` */
  getAsset: Call<{ uuid: string }, Response>
  /** `DELETE /assets/{uuid}` */
  deleteAsset: Call<{ uuid: string }, void>
  /** `GET /cloudstorages` */
  listCloudStorages: Listing<{ page?: Text; page_size?: Text; sort?: Text; search?: Text; filter?: Text | JsonLogic; id?: number; name?: Text; resource?: Text; owner?: Text; provider_type?: "AWS_S3_BUCKET" | "AZURE_CONTAINER" | "GOOGLE_CLOUD_STORAGE"; credentials_type?: "KEY_SECRET_KEY_PAIR" | "ACCOUNT_NAME_TOKEN_PAIR" | "KEY_FILE_PATH" | "ANONYMOUS_ACCESS" | "CONNECTION_STRING"; org?: Text; org_id?: number }, CloudStorage>
  /** Connect a bucket; it must exist and accept the credentials. `POST /cloudstorages` */
  createCloudStorage: FormCall<{ org?: Text; org_id?: number; body: CloudStorageCreate | { provider_type?: "AWS_S3_BUCKET" | "AZURE_CONTAINER" | "GOOGLE_CLOUD_STORAGE"; resource?: string; display_name?: string; description?: string; credentials_type?: "KEY_SECRET_KEY_PAIR" | "ACCOUNT_NAME_TOKEN_PAIR" | "KEY_FILE_PATH" | "ANONYMOUS_ACCESS" | "CONNECTION_STRING"; specific_attributes?: string; manifests?: string[]; key?: string; secret_key?: string; session_token?: string; account_name?: string; key_file?: Blob | readonly Blob[]; connection_string?: string } }, CloudStorage>
  /** `GET /cloudstorages/{id}` */
  getCloudStorage: Call<{ id: number }, CloudStorage>
  /** Change a connected bucket; the connection is tested again. `PATCH /cloudstorages/{id}` */
  updateCloudStorage: FormCall<{ id: number; if_match?: string; body?: CloudStoragePatch | { resource?: string; display_name?: string; description?: string; credentials_type?: "KEY_SECRET_KEY_PAIR" | "ACCOUNT_NAME_TOKEN_PAIR" | "KEY_FILE_PATH" | "ANONYMOUS_ACCESS" | "CONNECTION_STRING"; specific_attributes?: string; manifests?: string[]; key?: string; secret_key?: string; session_token?: string; account_name?: string; key_file?: Blob | readonly Blob[]; connection_string?: string } }, CloudStorage>
  /** Disconnect a bucket; one that is in use only with force. `DELETE /cloudstorages/{id}` */
  deleteCloudStorage: Call<{ id: number; force?: boolean; if_match?: string }, void>
  /** Whether the bucket can be used now. `GET /cloudstorages/{id}/status` */
  getCloudStorageStatus: Call<{ id: number }, "AVAILABLE" | "NOT_FOUND" | "FORBIDDEN">
  /** One level of the keys in the bucket, directories first. `GET /cloudstorages/{id}/content-v2` */
  listCloudStorageContent: Call<{ id: number; prefix?: Text; next_token?: Text; page_size?: number; manifest_path?: Text }, CloudStorageContent>
  /** Rights of the credentials in the bucket. `GET /cloudstorages/{id}/actions` */
  getCloudStorageActions: Call<{ id: number }, ("read" | "write")[]>
  /** `GET /tasks/{id}/data/meta` */
  getTaskDataMeta: Call<{ id: number }, DataMeta>
  /** `GET /jobs/{id}/data/meta` */
  getJobDataMeta: Call<{ id: number }, DataMeta>
  /** Delete and restore frames of a task. `PATCH /tasks/{id}/data/meta` */
  updateTaskDataMeta: Call<{ id: number; if_match?: string; body?: TaskDataMetaPatch }, DataMeta>
  /** Delete and restore frames of a job. `PATCH /jobs/{id}/data/meta` */
  updateJobDataMeta: Call<{ id: number; if_match?: string; body?: JobDataMetaPatch }, DataMeta>
  /** Number of frames in all tasks of a project. `GET /projects/{id}/data/meta` */
  getProjectDataMeta: Call<{ id: number }, ProjectDataMeta>
  /** Find frames by the names of their files. `GET /frames` */
  listFrames: Listing<{ page?: Text; page_size?: Text; search: Text; project_id?: number; task_id?: number; org?: Text; org_id?: number }, FoundFrame>
  /** A frame of a task in full or as a preview, a chunk of frames, or the context images of a frame. `GET /tasks/{id}/data` */
  getTaskData: Call<{ id: number; type?: Text; number?: number; quality?: Text }, Response>
  /** Same for a job; frames have the numbers of the task, chunks are selected by number or by index. `GET /jobs/{id}/data` */
  getJobData: Call<{ id: number; type?: Text; number?: number; quality?: Text; index?: number }, Response>
  /** `GET /projects/{id}/preview` */
  getProjectPreview: Call<{ id: number; prefer?: string }, Response>
  /** `GET /tasks/{id}/preview` */
  getTaskPreview: Call<{ id: number; prefer?: string }, Response>
  /** Preview of the first image of a connected bucket. `GET /cloudstorages/{id}/preview` */
  getCloudStoragePreview: Call<{ id: number }, Response>
  /** `GET /jobs/{id}/preview` */
  getJobPreview: Call<{ id: number; prefer?: string }, Response>
  /** `GET /tasks/{id}/annotations/` */
  getTaskAnnotations: SetCall<{ id: number; format?: Text; filename?: Text; action?: Text; location?: Text; cloud_storage_id?: Text; frames?: Text; label_id?: Text; filter?: Text | JsonLogic; interpolate?: boolean }>
  /** `PUT /tasks/{id}/annotations/` */
  replaceTaskAnnotations: SetCall<{ id: number; format?: Text; rq_id?: Text; if_match?: string; body: SetWrite }>
  /** `PATCH /tasks/{id}/annotations/` */
  updateTaskAnnotations: SetCall<{ id: number; action?: Text; if_match?: string; body: SetChange }>
  /** `DELETE /tasks/{id}/annotations/` */
  deleteTaskAnnotations: Call<{ id: number; if_match?: string }, void>
  /** `GET /jobs/{id}/annotations/` */
  getJobAnnotations: SetCall<{ id: number; format?: Text; filename?: Text; action?: Text; location?: Text; cloud_storage_id?: Text; frames?: Text; label_id?: Text; filter?: Text | JsonLogic; interpolate?: boolean }>
  /** `PUT /jobs/{id}/annotations/` */
  replaceJobAnnotations: SetCall<{ id: number; format?: Text; rq_id?: Text; if_match?: string; body: SetWrite }>
  /** `PATCH /jobs/{id}/annotations/` */
  updateJobAnnotations: SetCall<{ id: number; action?: Text; if_match?: string; body: SetChange }>
  /** `DELETE /jobs/{id}/annotations/` */
  deleteJobAnnotations: Call<{ id: number; if_match?: string }, void>
  /** `GET /projects/{id}/annotations/statistics` */
  getProjectAnnotationStatistics: Call<{ id: number; labels?: boolean; authors?: boolean }, AnnotationStatistics>
  /** `GET /tasks/{id}/annotations/statistics` */
  getTaskAnnotationStatistics: Call<{ id: number; labels?: boolean; authors?: boolean }, AnnotationStatistics>
  /** `GET /jobs/{id}/annotations/statistics` */
  getJobAnnotationStatistics: Call<{ id: number; labels?: boolean; authors?: boolean }, AnnotationStatistics>
  /** `GET /tasks/{id}/annotations/revisions` */
  listTaskRevisions: Listing<{ id: number; page?: Text; page_size?: Text; sort?: Text; filter?: Text | JsonLogic; revision?: number; author?: Text; action?: "create" | "update" | "delete" | "replace" | "import" | "restore" | "label_change" }, AnnotationRevision>
  /** `GET /jobs/{id}/annotations/revisions` */
  listJobRevisions: Listing<{ id: number; page?: Text; page_size?: Text; sort?: Text; filter?: Text | JsonLogic; revision?: number; author?: Text; action?: "create" | "update" | "delete" | "replace" | "import" | "restore" | "label_change" }, AnnotationRevision>
  /** `GET /jobs/{id}/annotations/revisions/{revision}` */
  getJobRevision: SetCall<{ id: number; revision: number; frames?: Text; label_id?: Text }>
  /** `GET /jobs/{id}/annotations/diff` */
  getJobAnnotationsDiff: Call<{ id: number; from: number; to?: number }, AnnotationDiff>
  /** `POST /jobs/{id}/annotations/revisions/{revision}/restore` */
  restoreJobRevision: SetCall<{ id: number; revision: number; if_match?: string }>
  /** `GET /requests` */
  listRequests: Listing<{ page?: Text; page_size?: Text; sort?: Text; filter?: Text | JsonLogic; id?: Text; status?: "queued" | "started" | "finished" | "failed"; action?: "export" | "import" | "create"; target?: "project" | "task" | "job" | "events"; subresource?: "annotations" | "dataset" | "backup"; format?: Text; project_id?: number; task_id?: number; job_id?: number; org_id?: number; org?: Text }, Request>
  /** `GET /requests/{rq_id}` */
  getRequest: Call<{ rq_id: string; wait?: number }, Request>
  /** Changes of the requests of the user, as server-sent events. `GET /requests/stream` */
  streamRequests: Call<NoInput, Response>
  /** Changes of a request until it ends, as server-sent events. `GET /requests/{rq_id}/stream` */
  streamRequest: Call<{ rq_id: string }, Response>
  /** Progress of the media of a task. `GET /tasks/{id}/status`
   * @deprecated use /requests?action=create&task_id=:id */
  getTaskStatus: Call<{ id: number }, TaskMediaStatus>
  /** `POST /requests/{rq_id}/cancel` */
  cancelRequest: Call<{ rq_id: string }, void>
  /** `POST /projects/{id}/dataset/export` */
  exportProjectDataset: Call<{ id: number; frames?: Text; label_id?: Text; only_annotated?: boolean; job_state?: "new" | "in progress" | "completed" | "rejected"; min_score?: number; format?: Text; filename?: Text; save_images?: boolean; location?: Text; cloud_storage_id?: number }, RqId>
  /** `POST /tasks/{id}/dataset/export` */
  exportTaskDataset: Call<{ id: number; frames?: Text; label_id?: Text; only_annotated?: boolean; job_state?: "new" | "in progress" | "completed" | "rejected"; min_score?: number; format?: Text; filename?: Text; save_images?: boolean; location?: Text; cloud_storage_id?: number }, RqId>
  /** `POST /jobs/{id}/dataset/export` */
  exportJobDataset: Call<{ id: number; frames?: Text; label_id?: Text; only_annotated?: boolean; job_state?: "new" | "in progress" | "completed" | "rejected"; min_score?: number; format?: Text; filename?: Text; save_images?: boolean; location?: Text; cloud_storage_id?: number }, RqId>
  /** Back up a project, its tasks and their media to an archive. `POST /projects/{id}/backup/export` */
  exportProjectBackup: Call<{ id: number; filename?: Text; location?: Text; cloud_storage_id?: number; lightweight?: boolean }, RqId>
  /** Back up a task and its media to an archive. `POST /tasks/{id}/backup/export` */
  exportTaskBackup: Call<{ id: number; filename?: Text; location?: Text; cloud_storage_id?: number; lightweight?: boolean }, RqId>
  /** Restore a project from a backup. `POST /projects/backup/` */
  importProjectBackup: Collection<{ filename?: Text; location?: Text; cloud_storage_id?: number; dry_run?: boolean; rq_id?: Text; org?: Text; org_id?: number; body?: { backup_file?: Blob | readonly Blob[] } }, RqId>
  /** Offset of an upload. `GET /projects/backup/{file_id}` */
  getProjectBackupFile: Call<{ file_id: string }, UploadState>
  /** Upload the next bytes of a file. `PATCH /projects/backup/{file_id}` */
  sendProjectBackupFile: Call<{ file_id: string; upload_offset: Text; body: Blob | Uint8Array<ArrayBuffer> }, void>
  /** Cancel the resumable upload of a file. `DELETE /projects/backup/{file_id}` */
  deleteProjectBackupFile: Call<{ file_id: string }, void>
  /** Restore a task from a backup. `POST /tasks/backup/` */
  importTaskBackup: Collection<{ filename?: Text; location?: Text; cloud_storage_id?: number; dry_run?: boolean; rq_id?: Text; org?: Text; org_id?: number; body?: { backup_file?: Blob | readonly Blob[] } }, RqId>
  /** Offset of an upload. `GET /tasks/backup/{file_id}` */
  getTaskBackupFile: Call<{ file_id: string }, UploadState>
  /** Upload the next bytes of a file. `PATCH /tasks/backup/{file_id}` */
  sendTaskBackupFile: Call<{ file_id: string; upload_offset: Text; body: Blob | Uint8Array<ArrayBuffer> }, void>
  /** Cancel the resumable upload of a file. `DELETE /tasks/backup/{file_id}` */
  deleteTaskBackupFile: Call<{ file_id: string }, void>
  /** `GET /projects/{id}/backup/download` */
  downloadProjectBackup: Call<{ id: number; rq_id?: Text }, Response>
  /** `GET /tasks/{id}/backup/download` */
  downloadTaskBackup: Call<{ id: number; rq_id?: Text }, Response>
  /** Attach media to a task. `POST /tasks/{id}/data` */
  uploadTaskData: Collection<{ id: number; body?: DataParameters | { image_quality?: number; chunk_size?: number; validation_params?: ValidationParams; job_file_mapping?: string[][]; job_count?: number; sorting_method?: "lexicographical" | "natural" | "predefined" | "random"; upload_file_order?: string[]; server_files?: string[]; server_files_exclude?: string[]; remote_files?: string[]; cloud_storage_id?: number; filename_pattern?: string; copy_data?: boolean; start_frame?: number; stop_frame?: number; frame_filter?: string; use_zip_chunks?: boolean; use_cache?: boolean; storage_method?: "file_system" | "cache"; client_files?: Blob | readonly Blob[] } }, RqId>
  /** Delete uploaded files that are not yet media of the task. `DELETE /tasks/{id}/data` */
  deleteTaskData: Call<{ id: number }, void>
  /** Offset of an upload. `GET /tasks/{id}/data/{file_id}` */
  getTaskDataFile: Call<{ id: number; file_id: string }, UploadState>
  /** Upload the next bytes of a file. `PATCH /tasks/{id}/data/{file_id}` */
  sendTaskDataFile: Call<{ id: number; file_id: string; upload_offset: Text; body: Blob | Uint8Array<ArrayBuffer> }, void>
  /** Cancel the resumable upload of a file. `DELETE /tasks/{id}/data/{file_id}` */
  deleteTaskDataFile: Call<{ id: number; file_id: string }, void>
  /** `POST /tasks/{id}/annotations/` */
  importTaskAnnotations: Collection<{ id: number; format?: Text; filename?: Text; location?: Text; cloud_storage_id?: number; conv_mask_to_poly?: boolean; import_mode?: Text; dry_run?: boolean; if_match?: string; body?: { annotation_file?: Blob | readonly Blob[] } }, RqId>
  /** Offset of an upload. `GET /tasks/{id}/annotations/{file_id}` */
  getTaskAnnotationsFile: Call<{ id: number; file_id: string }, UploadState>
  /** Upload the next bytes of a file. `PATCH /tasks/{id}/annotations/{file_id}` */
  sendTaskAnnotationsFile: Call<{ id: number; file_id: string; upload_offset: Text; body: Blob | Uint8Array<ArrayBuffer> }, void>
  /** Cancel the resumable upload of a file. `DELETE /tasks/{id}/annotations/{file_id}` */
  deleteTaskAnnotationsFile: Call<{ id: number; file_id: string }, void>
  /** `POST /jobs/{id}/annotations/` */
  importJobAnnotations: Collection<{ id: number; format?: Text; filename?: Text; location?: Text; cloud_storage_id?: number; conv_mask_to_poly?: boolean; import_mode?: Text; dry_run?: boolean; if_match?: string; body?: { annotation_file?: Blob | readonly Blob[] } }, RqId>
  /** Offset of an upload. `GET /jobs/{id}/annotations/{file_id}` */
  getJobAnnotationsFile: Call<{ id: number; file_id: string }, UploadState>
  /** Upload the next bytes of a file. `PATCH /jobs/{id}/annotations/{file_id}` */
  sendJobAnnotationsFile: Call<{ id: number; file_id: string; upload_offset: Text; body: Blob | Uint8Array<ArrayBuffer> }, void>
  /** Cancel the resumable upload of a file. `DELETE /jobs/{id}/annotations/{file_id}` */
  deleteJobAnnotationsFile: Call<{ id: number; file_id: string }, void>
  /** Create tasks from a dataset with images. `POST /projects/{id}/dataset/` */
  importProjectDataset: Collection<{ id: number; format?: Text; filename?: Text; location?: Text; cloud_storage_id?: number; conv_mask_to_poly?: boolean; import_mode?: Text; dry_run?: boolean; body?: { dataset_file?: Blob | readonly Blob[] } }, RqId>
  /** Offset of an upload. `GET /projects/{id}/dataset/{file_id}` */
  getProjectDatasetFile: Call<{ id: number; file_id: string }, UploadState>
  /** Upload the next bytes of a file. `PATCH /projects/{id}/dataset/{file_id}` */
  sendProjectDatasetFile: Call<{ id: number; file_id: string; upload_offset: Text; body: Blob | Uint8Array<ArrayBuffer> }, void>
  /** Cancel the resumable upload of a file. `DELETE /projects/{id}/dataset/{file_id}` */
  deleteProjectDatasetFile: Call<{ id: number; file_id: string }, void>
  /** `GET /projects/{id}/dataset/download` */
  downloadProjectDataset: Call<{ id: number; rq_id?: Text }, Response>
  /** `GET /tasks/{id}/dataset/download` */
  downloadTaskDataset: Call<{ id: number; rq_id?: Text }, Response>
  /** `GET /jobs/{id}/dataset/download` */
  downloadJobDataset: Call<{ id: number; rq_id?: Text }, Response>
  /** Write events of the log as a CSV file. `POST /events/export` */
  exportEvents: Call<{ org_id?: number; project_id?: number; task_id?: number; job_id?: number; user_id?: number; from?: Text; to?: Text; filename?: Text; location?: Text; cloud_storage_id?: number; org?: Text }, RqId>
  /** `GET /events/download` */
  downloadEvents: Call<{ rq_id?: Text; org?: Text; org_id?: number }, Response>
  /** Deprecated: use POST /events/export. `GET /events` */
  getEvents: Call<{ org_id?: number; project_id?: number; task_id?: number; job_id?: number; user_id?: number; from?: Text; to?: Text; filename?: Text; location?: Text; cloud_storage_id?: number; action?: Text; query_id?: Text; org?: Text }, Response>
  /** `GET /webhooks` */
  listWebhooks: Listing<{ page?: Text; page_size?: Text; sort?: Text; search?: Text; filter?: Text | JsonLogic; id?: number; target_url?: Text; owner?: Text; type?: "organization" | "project"; project_id?: number; org?: Text; org_id?: number }, Webhook>
  /** `POST /webhooks` */
  createWebhook: Call<{ org?: Text; org_id?: number; body: WebhookCreate }, Webhook>
  /** `GET /webhooks/{id}` */
  getWebhook: Call<{ id: number }, Webhook>
  /** `PATCH /webhooks/{id}` */
  updateWebhook: Call<{ id: number; if_match?: string; body?: WebhookPatch }, Webhook>
  /** `PUT /webhooks/{id}` */
  replaceWebhook: Call<{ id: number; if_match?: string; body: WebhookPut }, Webhook>
  /** `DELETE /webhooks/{id}` */
  deleteWebhook: Call<{ id: number; if_match?: string }, void>
  /** `GET /webhooks/events` */
  listWebhookEvents: Call<{ type?: "organization" | "project" | "all"; org?: Text; org_id?: number }, WebhookEventNames>
  /** `POST /webhooks/{id}/ping` */
  pingWebhook: Call<{ id: number }, Delivery>
  /** `POST /webhooks/{id}/rotate_secret` */
  rotateWebhookSecret: Call<{ id: number; body: WebhookSecretRotation }, Webhook>
  /** `GET /webhooks/{id}/deliveries` */
  listDeliveries: Listing<{ id: number; page?: Text; page_size?: Text }, Delivery>
  /** `POST /webhooks/{id}/deliveries/{delivery_id}/redelivery` */
  redeliver: Call<{ id: number; delivery_id: number }, WebhookRedelivery>
  /** `GET /webhooks/{id}/messages` */
  listWebhookMessages: Listing<{ id: number; page?: Text; page_size?: Text; after?: number }, WebhookMessage>
  /** `POST /webhooks/{id}/messages/redeliver` */
  redeliverMessages: Call<{ id: number; body?: WebhookMessagesToRedeliver }, WebhookMessagesRedelivered>
  /** `GET /webhooks/{id}/deliveries/{delivery_id}` */
  getDelivery: Call<{ id: number; delivery_id: number }, Delivery>
  /** Record events of a client. `POST /events` */
  recordEvents: Call<{ org?: Text; org_id?: number; body: ClientEvents }, AcceptedEvents>
  /** Removed: use POST /projects/{id}/dataset/export. `GET /projects/{id}/dataset`
   * @deprecated gone: answers 410, use POST /projects/{id}/dataset/export */
  getProjectDataset: Call<{ id: number }, never>
  /** Removed: use POST /projects/{id}/backup/export. `GET /projects/{id}/backup`
   * @deprecated gone: answers 410, use POST /projects/{id}/backup/export */
  getProjectBackup: Call<{ id: number }, never>
  /** Removed: use POST /projects/{id}/dataset/export. `GET /projects/{id}/annotations`
   * @deprecated gone: answers 410, use POST /projects/{id}/dataset/export */
  getProjectAnnotations: Call<{ id: number }, never>
  /** Removed: use POST /tasks/{id}/dataset/export. `GET /tasks/{id}/dataset`
   * @deprecated gone: answers 410, use POST /tasks/{id}/dataset/export */
  getTaskDataset: Call<{ id: number }, never>
  /** Removed: use POST /tasks/{id}/backup/export. `GET /tasks/{id}/backup`
   * @deprecated gone: answers 410, use POST /tasks/{id}/backup/export */
  getTaskBackup: Call<{ id: number }, never>
  /** Removed: use POST /jobs/{id}/dataset/export. `GET /jobs/{id}/dataset`
   * @deprecated gone: answers 410, use POST /jobs/{id}/dataset/export */
  getJobDataset: Call<{ id: number }, never>
  /** Removed: use GET /cloudstorages/{id}/content-v2. `GET /cloudstorages/{id}/content`
   * @deprecated gone: answers 410, use GET /cloudstorages/{id}/content-v2 */
  getCloudStorageContent: Call<{ id: number }, never>
}
