# syntax=docker/dockerfile:1
# Two stages: the first holds torch and exports the encoder, the second has neither torch nor pip's leftovers.
# Build:  docker build -t accelrag .
# Run:    docker run --rm -p 7860:7860 accelrag            then open http://localhost:7860

FROM python:3.12-slim AS build
WORKDIR /src
RUN python -m venv /opt/build && /opt/build/bin/pip install --no-cache-dir --upgrade pip \
 && /opt/build/bin/pip install --no-cache-dir torch --index-url https://download.pytorch.org/whl/cpu
COPY pyproject.toml README.md LICENSE ./
COPY requirements ./requirements
COPY corpus ./corpus
COPY src ./src
# command: build
RUN /opt/build/bin/pip install --no-cache-dir . \
 && ACCELRAG_HOME=/home-of-lists /opt/build/bin/accelrag update --offline \
 && ACCELRAG_HOME=/home-of-lists /opt/build/bin/accelrag ask "What does PagedAttention do about wasted GPU memory?"
# command: serve
RUN python -m venv /opt/accelrag && /opt/accelrag/bin/pip install --no-cache-dir --upgrade pip \
 && /opt/accelrag/bin/pip install --no-cache-dir -r requirements/page.txt \
 && /opt/accelrag/bin/pip install --no-cache-dir --no-deps .

FROM python:3.12-slim
LABEL org.opencontainers.image.title="accelrag" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.description="Ask a curated list and check every sentence of the answer"
RUN useradd --create-home --uid 10001 accelrag
COPY --from=build /opt/accelrag /opt/accelrag
COPY --from=build --chown=accelrag:accelrag /home-of-lists /data
ENV PATH=/opt/accelrag/bin:$PATH \
    ACCELRAG_HOME=/data \
    ACCELRAG_HOST=0.0.0.0 \
    PYTHONUNBUFFERED=1
USER accelrag
VOLUME /data
EXPOSE 7860
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:7860/healthz', timeout=4)"]
CMD ["accelrag", "serve", "--port", "7860"]
