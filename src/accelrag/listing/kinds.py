"""What sort of thing an entry is, told by its address first, then by the words of its sections, label and title."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from accelrag.types import Kind

__all__ = ["kind_of"]

_LABELS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("book", re.compile(r"\b(?:text)?books?\b", re.I)),
    ("course", re.compile(r"\b(?:courses?|lectures?|class(?:es)?|mooc)\b", re.I)),
    ("video", re.compile(r"\b(?:videos?|talks?|youtube)\b", re.I)),
    ("paper", re.compile(r"\b(?:papers?|thesis)\b", re.I)),
    ("documentation", re.compile(r"\b(?:docs?|documentation|manual|reference|specification|white-?paper)\b", re.I)),
    ("article", re.compile(r"\b(?:articles?|blogs?|posts?|essays?)\b", re.I)),
)
_PAPER_HOST = re.compile(
    r"(?:^|\.)(?:arxiv\.org|doi\.org|openreview\.net|aclanthology\.org|aclweb\.org|jmlr\.org|mlr\.press|"
    r"proceedings\.\S+|papers\.\S+|semanticscholar\.org|biorxiv\.org|thecvf\.com|roboticsproceedings\.org|"
    r"vldb\.org|ijcai\.org|isca-speech\.org|eprint\.iacr\.org|hal\.science|ssrn\.com|sciencedirect\.com|pnas\.org|"
    r"osti\.gov|mdpi\.com|dl\.acm\.org|ieeexplore\.ieee\.org|computer\.org|techrxiv\.org|iopscience\.iop\.org|"
    r"tandfonline\.com|researchgate\.net|paperswithcode\.com|mlsys\.org|sigops\.org|isfpga\.org|nips\.cc|neurips\.cc|iclr\.cc|icml\.cc|cacm\.acm\.org|citeseerx\.\S+)$"
)
_PAPER_PATH = re.compile(
    r"usenix\.org/(?:conference|system/files|legacy)|nature\.com/articles|springer\.com/(?:article|chapter)|"
    r"science\.org/doi|(?:microsoft|google|facebook|fb|meta|nvidia)\.com/.*(?:publication|pubs)/|research\.google/pubs|"
    r"ojs\.aaai\.org|aaai\.org/(?:papers|ocs)|onlinelibrary\.wiley\.com/doi|huggingface\.co/papers/|/publications?/",
    re.I,
)
_BOOK_PATH = re.compile(
    r"elsevier\.com/books|oreilly\.com/library|shop\.oreilly|manning\.com/books|springer\.com/book|mitpress|packt|"
    r"leanpub\.com|amazon\.[a-z.]+/.*(?:dp|gp/product)/|gitbook\.io|cambridge\.org/.*(?:books|97[89])|"
    r"morganclaypool|routledge\.com|crcpress\.com|apress\.com|wiley\.com/.*97[89]|97[89]-?\d|/books?/|^d2l\.ai|^neuralnetworksanddeeplearning\.com|"
    r"nostarch\.com|pragprog\.com|goodreads\.com|\.epub$",
    re.I,
)
_REPOSITORY_HOST = re.compile(
    r"^(?:github\.com|gitlab\.\S+|bitbucket\.org|codeberg\.org|sourceforge\.net|sr\.ht|git\.\S+|gitee\.com|gist\.github\.com|"
    r"code\.google\.com|launchpad\.net|opencores\.org)$"
)
_VIDEO_HOST = re.compile(r"(?:^|\.)(?:youtube\.com|youtu\.be|vimeo\.com|bilibili\.com|twitch\.tv|nicovideo\.jp)$")
_COURSE = re.compile(
    r"(?:^|\.)(?:coursera\.org|edx\.org|udacity\.com|udemy\.com|ocw\.mit\.edu|khanacademy\.org|deeplearning\.ai|fast\.ai)(?:/|$)|"
    r"/(?:courses?|classes|class|teaching|lectures?)(?:/|$)|\.edu/~?(?:cs|ee|ece|eecs)?\d{2,4}|"
    r"//?(?:cs|ee|ece|inst)\d{2,4}[a-z]?\.",
    re.I,
)
_DOCUMENTATION = re.compile(
    r"^(?:docs?|developer|developers|documentation|wiki|help|learn|man|manual|reference|api)\.|"
    r"readthedocs\.|rtfd\.|/(?:docs?|documentation|manual|reference|specifications?|spec|guides?|"
    r"getting[-_]started|standards?(?:-documents)?|user-?guide|programming-guide|handbook|api)(?:/|\.|$)|cppreference\.com|"
    r"(?:white-?paper|specification|datasheet|manual|user-?guide|_ug|reference)[^/]*\.pdf$|(?:docs?|documentation)\.\w+\.\w+",
    re.I,
)
_ARTICLE = re.compile(
    r"(?:^|\.)(?:medium\.com|substack\.com|dev\.to|blogspot\.[a-z.]+|wordpress\.com|hashnode\.dev|zhihu\.com|csdn\.net|"
    r"towardsdatascience\.com|wikipedia\.org|qiita\.com|zenn\.dev|infoq\.com|news\.ycombinator\.com|jianshu\.com|"
    r"cnblogs\.com|juejin\.cn|techcrunch\.com|wired\.com|arstechnica\.com|anandtech\.com|quantamagazine\.org)(?:/|$)|"
    r"^(?:[\w-]*blogs?|engineering|eng|news|tech|techblog)\.|/(?:blogs?|posts?|articles?|news|essays?|p|stories|story|"
    r"inside|journal|insights|archives?)(?:/|\.|$)|/(?:19|20)\d\d[/-](?:0?[1-9]|1[0-2])(?:[/-]|$)|mp\.weixin\.qq\.com|"
    r"telegra\.ph",
    re.I,
)
_NOTES: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("book", re.compile(r"\b(?:textbook|(?:e|survey |interactive |online |free )?book)\b", re.I)),
    ("course", re.compile(r"\b(?:course|lectures?)\b", re.I)),
    ("documentation", re.compile(r"\b(?:documentation|manual|whitepaper|specification|reference guide)\b", re.I)),
    (
        "article",
        re.compile(r"\b(?:blog|essay|article|explainer|walkthrough|primer|tutorial|post|write-?up|guide)\b", re.I),
    ),
    ("video", re.compile(r"\b(?:videos?|youtube|talk)\b", re.I)),
)
_SECTIONS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("course", re.compile(r"\b(?:courses?|lectures?|classes|moocs?)\b|课程|講義", re.I)),
    ("book", re.compile(r"\b(?:text)?books?\b|书籍|書籍", re.I)),
    ("video", re.compile(r"\b(?:videos?|youtube|talks?|podcasts?)\b|视频|動画", re.I)),
    ("article", re.compile(r"\b(?:blogs?|articles?|posts?|newsletters?|essays?)\b|博客|文章|記事", re.I)),
    ("documentation", re.compile(r"\b(?:documentation|docs|manuals?|references?)\b|文档", re.I)),
    ("paper", re.compile(r"\bpapers?\b|论文|論文", re.I)),
)


def kind_of(key: str, *, label: str = "", sections: Sequence[str] = (), title: str = "", note: str = "") -> Kind:
    """The kind of a resource at a canonical address, with the words that stand around it in the list."""
    host, path = _address(key)
    hosted = bool(_REPOSITORY_HOST.search(host))
    for kind, pattern in _LABELS:
        if pattern.search(label) and not (hosted and kind not in ("book", "course")):
            return kind
    section = sections[-1] if sections else ""
    if _VIDEO_HOST.search(host):
        return "course" if _SECTIONS[0][1].search(section) else "video"
    if hosted:
        return _inside_repository(path)
    return _by_address(host, path) or _by_words(section, title, note) or _page(path)


def _address(key: str) -> tuple[str, str]:
    try:
        parts = urlsplit(key)
        return parts.hostname or "", parts.path
    except ValueError:
        return "", ""


def _inside_repository(path: str) -> Kind:
    steps = [step for step in path.lower().split("/") if step]
    if len(steps) < 2:
        return "website"  # a person or an organisation
    if "blob" in steps[2:4]:
        if steps[-1].endswith(".pdf"):
            return "paper"
        if steps[-1].endswith((".md", ".rst", ".adoc", ".txt", ".html")):
            return "documentation"
    return "documentation" if "wiki" in steps[2:3] else "repository"


def _by_address(host: str, path: str) -> Kind | None:
    whole = f"{host}{path}"
    if _BOOK_PATH.search(whole):
        return "book"
    if _PAPER_HOST.search(host) or _PAPER_PATH.search(whole):
        return "paper"
    if _DOCUMENTATION.search(whole):
        return "documentation"
    if _COURSE.search(whole):
        return "course"
    if path.lower().endswith((".pdf", ".ps", ".ps.gz")):
        return "paper"
    if _ARTICLE.search(whole):
        return "article"
    return None


def _by_words(section: str, title: str, note: str) -> Kind | None:
    for kind, pattern in _SECTIONS:
        if pattern.search(section):
            return kind
    for kind, pattern in _LABELS:
        if kind not in ("paper", "video") and pattern.search(title):
            return kind
    first = [(m.start(), kind) for kind, pattern in _NOTES if (m := pattern.search(note))]
    return min(first)[1] if first else None


def _page(path: str) -> Kind:
    """A page of its own inside a site reads as an article; a front page is a site."""
    last = path.lower().rsplit("/", 1)[-1]
    return "article" if last.endswith((".html", ".htm")) and not last.startswith("index.") else "website"
