{{/* Minimum number of pods. Argument: own */}}
{{- define "reticle.minReplicas" -}}
{{- $scaling := (.own.autoscaling | default dict) -}}
{{- if $scaling.enabled }}{{ $scaling.minReplicas }}{{ else }}{{ .own.replicas }}{{ end }}
{{- end }}

{{/* The deployment of one process, its disruption budget, and its headless service if it serves gRPC. Arguments: root, name */}}
{{- define "reticle.workload" -}}
{{- $app := include "reticle.app" . | fromYaml -}}
{{- $own := get .root.Values $app.values -}}
{{- $given := dict "root" .root "name" .name "app" $app "own" $own -}}
{{ include "reticle.deployment" $given }}
{{- if $app.serves }}
---
{{ include "reticle.headless" $given }}
{{- end }}
{{- if gt (include "reticle.minReplicas" $given | int) 1 }}
---
{{ include "reticle.disruptionBudget" $given }}
{{- end }}
{{- end }}

{{- define "reticle.deployment" -}}
{{- $full := printf "%s-%s" (include "reticle.fullname" .root) .name -}}
{{- $tls := .root.Values.tls.existingSecret -}}
{{- $share := and .app.share .root.Values.share.existingClaim -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ $full }}
  labels:
    {{- include "reticle.labels" . | nindent 4 }}
spec:
  {{- if not (and .own.autoscaling .own.autoscaling.enabled) }}
  replicas: {{ .own.replicas }}
  {{- end }}
  selector:
    matchLabels:
      {{- include "reticle.selector" . | nindent 6 }}
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxUnavailable: 0
      maxSurge: 1
  template:
    metadata:
      labels:
        {{- include "reticle.labels" . | nindent 8 }}
      annotations:
        checksum/secrets: {{ include "reticle.secretsChecksum" .root }}
        {{- with .own.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      serviceAccountName: {{ include "reticle.fullname" .root }}
      {{- include "reticle.podSecurity" . | nindent 6 }}
      terminationGracePeriodSeconds: {{ .app.grace }}
      {{- include "reticle.scheduling" . | nindent 6 }}
      containers:
        - name: {{ .name }}
          image: {{ include "reticle.image" (dict "root" .root "image" .app.image) }}
          imagePullPolicy: {{ .root.Values.image.pullPolicy }}
          args: [{{ .app.entry }}]
          {{- include "reticle.containerSecurity" . | nindent 10 }}
          ports:
            {{- if eq .name "gateway" }}
            - name: http
              containerPort: 8080
            {{- end }}
            {{- if .app.serves }}
            - name: grpc
              containerPort: 50051
            {{- end }}
            - name: metrics
              containerPort: 9464
          env:
            {{- include "reticle.env" . | nindent 12 }}
            {{- with include "reticle.authoritiesEnv" .root }}{{ . | nindent 12 }}{{ end }}
          {{- include "reticle.probes" . | nindent 10 }}
          lifecycle:
            preStop:
              sleep:
                seconds: 5
          {{- include "reticle.resources" .own.resources | nindent 10 }}
          volumeMounts:
            - name: tmp
              mountPath: /tmp
            {{- with include "reticle.authoritiesMount" .root }}{{ . | nindent 12 }}{{ end }}
            {{- if $tls }}
            - name: tls
              mountPath: /etc/reticle/tls
              readOnly: true
            {{- end }}
            {{- if $share }}
            - name: share
              mountPath: /var/share
              readOnly: true
            {{- end }}
      volumes:
        - name: tmp
          emptyDir:
            sizeLimit: {{ .own.tmpSize }}
        {{- with include "reticle.authoritiesVolume" .root }}{{ . | nindent 8 }}{{ end }}
        {{- with $share }}
        - name: share
          persistentVolumeClaim:
            claimName: {{ . }}
            readOnly: true
        {{- end }}
        {{- with $tls }}
        - name: tls
          secret:
            secretName: {{ . }}
            defaultMode: 288 # 0440: the group of the pod reads it
        {{- end }}
{{- end }}

{{/* Headless, so that callers resolve every pod and balance between them. */}}
{{- define "reticle.headless" -}}
apiVersion: v1
kind: Service
metadata:
  name: {{ include "reticle.fullname" .root }}-{{ .name }}-headless
  labels:
    {{- include "reticle.labels" . | nindent 4 }}
spec:
  clusterIP: None
  selector:
    {{- include "reticle.selector" . | nindent 4 }}
  ports:
    - name: grpc
      port: 50051
      targetPort: grpc
      appProtocol: kubernetes.io/h2c
{{- end }}

{{- define "reticle.disruptionBudget" -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "reticle.fullname" .root }}-{{ .name }}
  labels:
    {{- include "reticle.labels" . | nindent 4 }}
spec:
  minAvailable: 1
  selector:
    matchLabels:
      {{- include "reticle.selector" . | nindent 6 }}
{{- end }}

{{/* Arguments: root, name */}}
{{- define "reticle.autoscaler" -}}
{{- $own := get .root.Values .name -}}
{{- if $own.autoscaling.enabled -}}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: {{ include "reticle.fullname" .root }}-{{ .name }}
  labels:
    {{- include "reticle.labels" . | nindent 4 }}
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: {{ include "reticle.fullname" .root }}-{{ .name }}
  minReplicas: {{ $own.autoscaling.minReplicas }}
  maxReplicas: {{ $own.autoscaling.maxReplicas }}
  metrics:
    - type: Resource
      resource:
        name: cpu
        target:
          type: Utilization
          averageUtilization: {{ $own.autoscaling.cpu }}
{{- end }}
{{- end }}
